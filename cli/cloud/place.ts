import { CommandRefused } from '../command.ts'
import { ServerRefused } from '../server.ts'

/** Adds the place as compilers write it, so that editors and terminals find it: `index.js:3:5`. */
export function withFilePosition(error: unknown, file: string): unknown {
  if (!(error instanceof ServerRefused) || !error.place) return error
  const { line, column } = error.place
  const at = `${file}:${line}:${column}`
  const sentence = { en: `${at}: ${error.sentence.en}`, fa: `${at}: ${error.sentence.fa}` }
  return new CommandRefused(error.code, sentence, 1, {
    ...error.more,
    ...{ line: String(line), column: String(column) },
  })
}
