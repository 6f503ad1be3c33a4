/** The child's side of a confined process: it reads one input, does the work and writes one answer. */
import { buffer } from 'node:stream/consumers'
import { deserialize } from 'node:v8'

/** Runs the work of a confined process: reads one input from stdin, writes one answer as JSON to stdout. See `#platform/confined`. */
export async function runConfinedWork<Input>(work: (input: Input) => Promise<unknown>): Promise<void> {
  const input = deserialize(await buffer(process.stdin)) as Input
  const text = JSON.stringify(await work(input))
  process.stdout.write(text, () => process.exit(0))
}
