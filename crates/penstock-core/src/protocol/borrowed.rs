//! A borrowed sink is a sink: for stages that own the one behind them.

use super::{Hints, LookAhead, Sink};
use crate::forward;

macro_rules! borrowed {
    ($trait:ident $($how:ident $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        $(borrowed! { @ $how $method($($name: $kind),*) $(-> $result)? })*
    };
    (@ mut $method:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?) => {
        #[inline(always)]
        fn $method(&mut self, $($name: $kind),*) $(-> $result)? {
            (**self).$method($($name),*)
        }
    };
    (@ ref $method:ident($($name:ident: $kind:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $method(&self, $($name: $kind),*) -> $result {
            (**self).$method($($name),*)
        }
    };
}

impl<S: Sink + ?Sized> Sink for &mut S {
    type Error = S::Error;
    forward!(sink, borrowed);
}

impl<S: Hints + ?Sized> Hints for &mut S {
    forward!(hints, borrowed);
}

impl<S: LookAhead + ?Sized> LookAhead for &mut S {
    forward!(ahead, borrowed);
}
