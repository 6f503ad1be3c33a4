import { type CheckoutCopy, copyCheckout } from './checkout-copy.ts'
import type { Mutation } from './mutation.ts'
import { type Outcome, TestSession } from './test-session.ts'

export interface MutationRun {
  mutation: Mutation
  outcome: Outcome
  seconds: number
}

/**
 * Runs each mutation against its test file, in a copy of the checkout, one after another; before the first mutation of a test file that file
 * runs as it is and must be green. Tells `onRun` of each; answers those that were not red.
 */
export async function runMutations(
  checkout: string,
  mutations: readonly Mutation[],
  onRun: (run: MutationRun) => void,
): Promise<MutationRun[]> {
  await using copy = await copyCheckout(checkout)
  await using session = new TestSession(copy.root)
  const failed: MutationRun[] = []
  const unmutated = new Map<string, Outcome>()
  for (const mutation of mutations) {
    const { test } = mutation
    if (!unmutated.has(test)) unmutated.set(test, await session.run(test))
    const begunMs = Date.now()
    const outcome = await outcomeOf(mutation, unmutated.get(test)!, copy, session)
    const run = { mutation, outcome, seconds: (Date.now() - begunMs) / 1000 }
    if (outcome.kind !== 'red') failed.push(run)
    onRun(run)
  }
  return failed
}

async function outcomeOf(
  mutation: Mutation,
  before: Outcome,
  copy: CheckoutCopy,
  session: TestSession,
): Promise<Outcome> {
  const refusal = await copy.refusal(mutation)
  if (refusal) return { kind: 'unfit', why: refusal }
  if (before.kind === 'red') return { kind: 'unfit', why: `it is red without the mutation: ${before.by}` }
  if (before.kind === 'unfit') return { kind: 'unfit', why: `without the mutation ${before.why}` }
  // A run's databases are copies of one that was migrated at its beginning.
  const ownSession = mutation.file.startsWith('migrations/')
  if (ownSession) await session.close()
  let outcome: Outcome
  {
    await using _applied = await copy.apply(mutation)
    session.forget(mutation.file)
    outcome = await session.run(mutation.test)
    if (ownSession) await session.close()
  }
  session.forget(mutation.file)
  return outcome
}
