/**
 * The identity of this installation, by which a copy is distinguished from an installation that was moved (docs/decisions/platform/installations.md).
 * Folder and database each store the identity and their last place, so that a copy is recognised when it is started beside its original: a copy
 * answers requests, and touches nothing that the original has outside.
 */
import { declareFailures } from '#platform/errors'
import type { Problem } from '#platform/readiness'
import { phrases } from './phrases.ts'

export { adoptFolder } from './adopt.ts'
export { claimFolder, type FolderClaim } from './claim.ts'
export { examineFolder } from './examine.ts'
export { instanceHeader, readInstance } from './instance.ts'
export { BucketMark } from './mark.ts'
export { readRecord } from './record.ts'
export { migrationEvents, refuseNewerFolder } from './release.ts'
export { becomeCopy, type Identity, settleIdentity } from './settle.ts'

declare module '#platform/errors' {
  interface Failures {
    INSTALLATION_COPY: Record<string, never>
  }
}

declareFailures({
  INSTALLATION_COPY: {
    status: 503,
    retry: false,
    en: () =>
      'This server runs on a copy of an installation, and the store belongs to the original: nothing is stored here before the operator has run kherad adopt.',
    fa: () =>
      'این سرور روی رونوشتی از یک نصب کار می‌کند و انبار از آنِ اصل است: تا گرداننده kherad adopt را اجرا نکند چیزی اینجا ذخیره نمی‌شود.',
  },
})

/** What readiness reports about a copy. Readiness is public, so it omits the path of the original. */
export const copyProblem: Problem = { code: 'copy', message: phrases.copy(), blocks: false }
