#![allow(dead_code)]
//! fn documented() {}
use std::{collections::HashMap, fmt};
mod elsewhere;

/* nested /* fn commented() {} */ still */
pub const LIMIT: usize = { fn in_const() -> usize { 1 } 3 };
static mut COUNTER: u32 = 0;
const RAW: &str = r#"fn in_raw() { " "#;

#[derive(Debug, Clone)]
pub struct Point<T> where T: Copy { x: T, y: T }
struct Unit;
struct Tuple(u8, &'static str);

pub(crate) enum Shape<'a> { Circle { r: f64 }, Named(&'a str) }
union Bits { i: u32, f: f32 }

pub trait Area: fmt::Debug {
    type Output;
    const SIDES: u32;
    fn area(&self) -> Self::Output;
    fn name(&self) -> char { '{' }
}

impl<T: Into<f64> + Copy> Area for Point<T> where Vec<T>: Sized {
    type Output = f64;
    const SIDES: u32 = 0;
    fn area(&self) -> f64 { let c = '\''; let l: &'static str = "}"; 0.0 }
}

impl<'a> Shape<'a> {
    pub async unsafe fn run<F>(&mut self, f: F) -> Result<(), Box<dyn Error>> where F: FnOnce() -> bool {
        fn nested() {}
        struct Local;
        if f() { return Err(b'{'.into()) }
        Ok(())
    }
    pub const fn fixed() -> [u8; 3] { [1, 2, 3] }
}
impl fmt::Display for [u8] {}

extern "C" { fn external(x: i32) -> i32; }
pub extern "C" fn exported() {}

macro_rules! square {
    ($x:expr) => { fn in_macro() { $x * $x } };
}

square!{ fn called() {} }

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() { assert!(true); }
    mod deeper { pub(super) fn deep() {} }
}
type Alias<T> = HashMap<String, T>;
