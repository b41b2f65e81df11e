//! Lists of channels for messages.

/// Microphones that are named one by one.
const NAMED: usize = 20;

/// The first few channels by number, and how many more.
pub fn listed(channels: &[usize]) -> String {
    let mut text: Vec<String> = channels.iter().take(NAMED).map(usize::to_string).collect();
    if channels.len() > NAMED {
        text.push(format!("and {} more", channels.len() - NAMED));
    }
    text.join(", ")
}
