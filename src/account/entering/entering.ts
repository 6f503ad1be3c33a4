/** The end of every sign-in, whatever its first factor: a session or a challenge, its cookies, the letter about a new device, a row of the audit log. */
export type { EnteringApp } from './app.ts'
export { type Challenge, endChallenges, findChallenge } from './challenges.ts'
export {
  answerEntrance,
  type Browser,
  browserOf,
  type EnteringContext,
  type Entrance,
  type FirstFactor,
  finishFirstFactor,
  finishSecondFactor,
  personView,
} from './enter.ts'
export { Entered, type EntryAnswer, PersonView, SecondFactorNeeded, SignedIn } from './schema.ts'
