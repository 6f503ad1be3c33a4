/**
 * The fake upstream as a separate process, for benchmarks: `node tests/harness/upstream-main.ts [port] [words]`. Prints its address on one
 * line and answers at once until it is killed. `words` is the length of every answer.
 */
import { answer, fakeUpstream } from './upstream.ts'

const [port = '0', words = '12'] = process.argv.slice(2)
const text = Array.from({ length: Number(words) }, (_, position) => `word${position}`).join(' ')
const upstream = await fakeUpstream(Number(port))
// A benchmark makes millions of calls; recording each would measure the memory of this process instead.
upstream.reply(() => {
  upstream.calls.length = 0
  return answer(text)
})
process.stdout.write(`${upstream.url}\n`)
