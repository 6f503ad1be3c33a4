/** Second factors and passkeys of people: authenticator apps, recovery codes, WebAuthn (docs/decisions/account/factors.md). */
import './phrases.ts'
import { factorResetJob } from './resets.ts'
import { ceremonyTidyJob } from './tidy.ts'

export type { FactorsApp } from './app.ts'
export { countChallenge, countFactorAttempt, type FactorAttempt, uncountFactorAttempt } from './attempts.ts'
export { beginCeremony, type Ceremony, type CeremonyPurpose, endCeremony } from './ceremony-store.ts'
export {
  type AddedFactor,
  addPasskey,
  type BegunTotp,
  beginTotp,
  confirmTotp,
  removeAllFactors,
  removeFactor,
  renewRecoveryCodes,
} from './change.ts'
export {
  type CheckedFactor,
  checkSecondFactor,
  type FactorAnswer,
  hasSecondFactor,
  requireNoSecondFactor,
  type SecondFactor,
  secondFactorsOf,
} from './check.ts'
export type { FactorOwner } from './notify.ts'
export { challengeOf, creationOptions, requestOptions, verifyRegistration } from './passkey.ts'
export {
  localhostOf,
  type PasskeyAvailability,
  type PasskeySite,
  passkeyAvailability,
} from './passkey-site.ts'
export { type QrCode, qrCodeOf } from './qr-code.ts'
export { cancelFactorReset, cancelPurpose, type FactorReset, pendingReset } from './reset-store.ts'
export { requestFactorReset } from './resets.ts'
export {
  confirmedFactors,
  countRecoveryCodes,
  type FactorKind,
  type FactorRow,
  type PasskeyRow,
  renameFactor,
} from './store.ts'
export { usePasskey } from './use-passkey.ts'

export const factorJobs = [factorResetJob, ceremonyTidyJob]
