/** Mails to people who sign in: queued in the transaction of what they tell, sent by a job, kept for the operator where there is no mail server. */
export type { LetterJobsApp, LettersApp, OutboxApp } from './app.ts'
export { mailChannel } from './channel.ts'
export { composeLetter } from './compose.ts'
export { deviceName } from './device.ts'
export type {
  FactorName,
  LetterKind,
  LetterKinds,
  LetterLocale,
  NewLetter,
  RoleName,
  ThresholdOf,
  TypedLetter,
} from './kinds.ts'
export { personLink } from './links.ts'
export { maskedLetter, type RevealedInvitation, revealable, revealInvitation } from './outbox.ts'
export { queueLetter } from './queue.ts'
export { letterJob } from './send.ts'
export { listMails, type MailOfPerson, type MailState } from './store.ts'
