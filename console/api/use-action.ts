import { useCallback, useRef, useState } from 'react'
import { ApiError } from './api-error.ts'
import { StepUpStopped } from './ask.ts'

export interface Action<Input extends unknown[]> {
  run(...input: Input): void
  isBusy: boolean
  /** What went wrong the last time; undefined while it runs and after it has succeeded. */
  error: unknown
  clear(): void
}

/** Something a form does: once at a time, and what it throws stays until the next try; a StepUpStopped is dropped, for the person has chosen it. */
export function useAction<Input extends unknown[]>(act: (...input: Input) => Promise<void>): Action<Input> {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const running = useRef(false)
  const run = (...input: Input): void => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    act(...input)
      .catch((thrown: unknown) => {
        if (!(thrown instanceof StepUpStopped)) setError(thrown ?? new Error('empty'))
      })
      .finally(() => {
        running.current = false
        setBusy(false)
      })
  }
  const clear = useCallback(() => setError(undefined), [])
  return { run, isBusy, error, clear }
}

/** The sentence of a refusal that is about this field or an item of it (`models.0`), by its name in the API or by its code. */
export function refusalOf(error: unknown, param: string, codes: readonly string[] = []): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const isOfField =
    error.param === param ||
    error.param?.endsWith(`.${param}`) === true ||
    error.param?.startsWith(`${param}.`) === true ||
    codes.includes(error.code)
  return isOfField ? error.message : undefined
}
