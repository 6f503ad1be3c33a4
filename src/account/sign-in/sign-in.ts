/** What every kind of sign-in uses: hashed passwords, counted attempts, codes, addresses, letters (docs/decisions/account/sign-in.md). */
import './errors.ts'

export {
  type AttemptSubject,
  type AttemptTable,
  countAttempt,
  networkOf,
  siteOf,
  uncountAttempt,
} from './attempts.ts'
export { couldBeToken, hashToken, matchCode, maxCodeTries, newCode, newToken, typedCode } from './codes.ts'
export { emailAddress } from './email-address.ts'
export { inConstantTime } from './even-time.ts'
export { HashingTurns, isPasswordHash, type PasswordHashing } from './hashing.ts'
export { IsolatedText, type LetterLine, type LinePart, QuotedWords } from './letter-line.ts'
export { type LetterContent, type LetterFact, renderLetter } from './letters.ts'
export {
  appPasswordRules,
  examinePassword,
  normalizedPassword,
  type PasswordRules,
  type PasswordWeakness,
  personPasswordRules,
} from './passwords.ts'
export {
  type AttemptsApp,
  countPersonAttempt,
  maskedAddress,
  type PersonAttempt,
  passwordToCompare,
  personHashing,
  requireAddress,
  requirePassword,
  uncountPersonAttempt,
} from './people.ts'
