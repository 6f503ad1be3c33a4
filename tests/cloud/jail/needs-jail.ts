import { openJail } from '#platform/jail'
import { startMs, until } from '../../harness/until.ts'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

/** The jail of this machine; a busy one takes its time. */
export const jail = openJail(silent, { waits: { maxWaitMs: 60_000, pauseMs: 10_000 } })

/**
 * Whether jails can be built here. As root on Linux they have to be, so that no run of CI passes without these tests; elsewhere the reason is printed.
 */
export async function hasJail(): Promise<boolean> {
  // A test that did not end as it should, on a busy machine, is made again.
  const state = await until(async () => {
    const seen = await jail.state()
    return seen.kind === 'refused' && !seen.isSure ? undefined : seen
  }, startMs)
  if (state.kind === 'jailed') return true
  if (process.platform === 'linux' && process.getuid?.() === 0)
    throw new Error(`no jail here: ${state.why.en}`)
  console.log(`skipped: ${state.why.en}`)
  return false
}
