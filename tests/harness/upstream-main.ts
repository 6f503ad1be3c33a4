/**
 * The fake upstream as a program of its own, for benches: `node tests/harness/upstream-main.ts [port] [words]`.
 * Prints its address on one line and answers at once until it is killed. `phrases` is the length of every answer.
 */
import { answer, fakeUpstream } from './upstream.ts'

const [port = '0', words = '12'] = process.argv.slice(2)
const text = Array.from({ length: Number(words) }, (_, position) => `word${position}`).join(' ')
const upstream = await fakeUpstream(Number(port))
// A bench makes millions of calls; remembering each would measure our memory instead.
upstream.reply(() => {
  upstream.calls.length = 0
  return answer(text)
})
process.stdout.write(`${upstream.url}\n`)
