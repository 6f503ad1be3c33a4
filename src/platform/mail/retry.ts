/** The age in milliseconds beyond which a mail is not worth sending any more. */
export const maxMailAgeMs = 24 * 60 * 60 * 1000
const minPauseMs = 1_000
const maxPauseMs = 10 * 60 * 1000

/** The pause before a deferred mail of this age is sent again: half of its age, at random up to a quarter more or less, so that mails are spread. */
export const retryPauseMs = (ageMs: number): number =>
  Math.round(Math.min(maxPauseMs, Math.max(minPauseMs, ageMs / 2)) * (0.75 + Math.random() / 2))
