import type { AnswersApp } from './app.ts'
import { runnerOf } from './runner.ts'

/** Recovers answers of dead processes, and at a stop lets those of this process end; until disposed. */
export function startAnswers(app: AnswersApp): AsyncDisposable {
  const runner = runnerOf(app)
  app.processes.afterSweep(() => runner.recover())
  return runner
}
