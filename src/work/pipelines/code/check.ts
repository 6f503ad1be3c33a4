import path from 'node:path'
import type { ConfinedRunner } from '#platform/confined'
import type { StepContext } from '../pipelines.ts'

/** Input of check-process.ts: files, at most as many as a project has. */
export type CheckWork = { path: string; text: string }[]
/** The parser's error for each file; null if there is none. */
export type CheckAnswer = (string | null)[]

const checkable = /\.(?:[cm]?[jt]s|json|ya?ml|html?)$/i
const checkingMs = 10_000

/**
 * Parses a file without running it and returns the error as `fault`. There is none if the file is valid, has no parser (`isChecked` is
 * false), or if the process was lost.
 */
export async function checkFile(
  context: StepContext,
  confine: ConfinedRunner,
  step: string,
  file: { path: string; text: string },
): Promise<{ fault?: string; isChecked: boolean }> {
  if (!checkable.test(file.path)) return { isChecked: false }
  const [fault, isChecked] = await context.once<[string | null, boolean]>(step, async () => {
    const outcome = await confine({
      accountId: context.accountId,
      module: path.join(import.meta.dirname, 'check-process.ts'),
      input: [{ path: file.path, text: file.text }] satisfies CheckWork,
      timeoutMs: checkingMs,
      maxOutputBytes: 4_096,
      signal: context.signal,
    })
    return 'lost' in outcome ? [null, false] : [(outcome.value as CheckAnswer)[0] ?? null, true]
  })
  return { ...(fault !== null && { fault }), isChecked }
}
