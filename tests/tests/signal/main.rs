//! From bits to bins: the decimator in all its forms, the default chain, the receiver's counters and an independent reference.

mod bit_identity;
mod default_chain;
mod link_counters;
mod reference_stages;
