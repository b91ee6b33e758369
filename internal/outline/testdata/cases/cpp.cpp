#include <vector>
#pragma once
namespace outer::inner {
namespace { int hidden() { return 1'000'000; } }

template <typename T, int N = (3 > 2), typename = std::enable_if_t<(N > 1)>>
class Container final : public Base<T>, private Other {
public:
  using value_type = T;
  typedef std::map<std::string, T> map_type;
  Container() : a_(1), b_{2}, c_(std::vector<int>{1, 2}) { init(); }
  explicit Container(const T& t) noexcept(true);
  virtual ~Container() = default;
  Container& operator=(const Container&) = delete;
  bool operator<(const Container& o) const { return a_ < o.a_; }
  void operator()(int x) const;
  operator bool() const { return true; }
  template <class U> auto get(U&& u) -> decltype(u.x) { return u; }
  virtual void pure() const = 0;
  [[nodiscard]] constexpr int attr() const& noexcept { return 1; }
  static int count;
  int (*callback)(int);
  std::function<void(int)> f = [](int) { };
private:
  struct Nested { int x; void method() {} };
  enum class Kind : uint8_t { A, B };
  friend class Friend;
  friend bool same(const Container& a) { return true; }
  int a_, b_;
};

template <> class Container<int, 1> {};

template <typename T>
bool Container<T>::has(const T& t) const { return true; }

Outer::Inner::Inner(int a) : Base(a) {}
Outer::~Outer() {}
std::ostream& operator<<(std::ostream& o, const Outer& x) { return o; }

extern "C" { void c_function(void) {} }
extern "C" int c_prototype(int);

const char* raw = R"delim(class InRaw { )" })delim";
auto lambda = [](int a) { return a; };
int value(42);
TEST(Suite, Name) { EXPECT_TRUE(true); }
enum Plain { X };
union Both { int a; float b; };
API_EXPORT int exported(int a) { return a; }
class API_EXPORT Exported : Base { void m(); };
concept_like<int> function_returning_template(std::pair<int, int> p) try { return {}; } catch (...) { }
}  // namespace
