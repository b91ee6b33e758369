/* int commented(void) { } */
#include <stdio.h>
#include "local.h"
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))
#define EMPTY
#define BRACE {

typedef unsigned long ulong_t, *ulong_ptr;
typedef int (*callback_t)(int, void *);
typedef struct node {
	struct node *next;
	struct { int a; } anonymous;
	union inner { int i; float f; } u;
	int (*method)(struct node *);
} node_t;
typedef enum { RED, GREEN } color_t;

struct forward;
enum state { IDLE, BUSY };
static const char *names[] = { "int fake(void) {", "}" };
extern int shared;
int prototype(int a, ...);
static inline struct node *make(struct node *(*f)(void)) { return f(); }

int
kandr(argc, argv)
	int argc;
	char **argv;
{
	if (argc) { return '{'; }
	return MAX(1, 2);
}

static __attribute__((unused)) void attributed(void) __attribute__((noreturn));
void attributed(void)
{
	struct local { int x; } l;
}

#ifdef A
int conditional(int a) {
#else
int conditional(void) {
#endif
	return 0;
}

#if 0
int disabled(void) { {
#else
int enabled(void) { return 0; }
#endif

MODULE_LICENSE("GPL");
DEFINE_LIST(list)
int after_macro(void) { return 0; }
SYSCALL_DEFINE2(open, int, a) { return 0; }
int array[3] = { 1, 2, 3 }, (*pointer)(void) = NULL;
struct node global = { .next = 0 };
const char *end(void) { return "\"" "}"; }
