#!/usr/bin/env bash
# commented() { }
set -euo pipefail
source ./lib.sh
. "$dir/other.sh"

plain() {
  echo "not_a_function() { ${x:-"}"} $(cmd "nested ) }") "
  local arr=()
  case "$1" in
    a) echo one ;;
    (b) echo "two" ;;
  esac
}

function keyword {
  echo $(( 1 << 2 )) ${#arr[@]} ${x#*\'} ${y%%'}'*} $# 'it'\''s }'
}

function both() { :; }
subshell() (
  exit 1
)
next_line()
{
  cat <<EOF
in_heredoc() {
EOF
  cat <<-'END'
	in_second() {
	END
  cat <<\Q
in_third() {
Q
}
name-with.odd::chars() { :; }
if true; then conditional() { :; }; fi
x=() y=(a b)
outer() { inner() { :; }; }
alias ll='ls -l'
echo function not_me
