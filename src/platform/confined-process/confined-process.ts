import { buffer } from 'node:stream/consumers'
import { deserialize } from 'node:v8'

/** The life of a confined process: one input on stdin, one answer as JSON on stdout. See `#platform/confined`. */
export async function answer<Input>(work: (input: Input) => Promise<unknown>): Promise<void> {
  const input = deserialize(await buffer(process.stdin)) as Input
  const text = JSON.stringify(await work(input))
  process.stdout.write(text, () => process.exit(0))
}
