/**
 * A server of its own process whose durable work is scripted, for tests that kill it: `node tests/harness/work-main.ts`. The task's
 * input is the script: words by spaces, each a step that asks the model for that very word; `+word` asks for it beside the next.
 */
import {
  LostStep,
  type Outcome,
  OutOfCredits,
  type Pipeline,
  pipelinesOf,
  type StepContext,
} from '#engine/pipelines'
import { readConfigFile, readEnv } from '#platform/config'
import { loadConfig } from '#settings'
import { startKherad } from '../../src/server.ts'

const maxOutputTokens = 100

const scripted: Pipeline = {
  plan: ({ input }) => ({
    asks: [{ count: input.split(' ').length, promptBytes: 200, maxOutputTokens }],
    searches: 0,
    reads: 0,
  }),
  async run(desk) {
    const lines: string[] = []
    const words = desk.task.input.split(' ')
    const said: Promise<string>[] = []
    for (const [place, word] of words.entries()) {
      said.push(say(desk, word.replace('+', '')))
      said.at(-1)!.catch(() => {})
      if (word.startsWith('+')) continue
      lines.push(...(await Promise.all(said.splice(0))))
      await desk.progress(((place + 1) * 90) / words.length, { fa: word, en: word })
    }
    await desk.saveFile({
      path: 'said.txt',
      bytes: Buffer.from(lines.join('\n')),
      mediaType: 'text/plain',
      title: 'said',
    })
    return outcome(!lines.includes(lost))
  },
}

const lost = '(lost)'

async function say(desk: StepContext, word: string): Promise<string> {
  try {
    const { text } = await desk.ask(word, {
      messages: [{ role: 'user', content: [{ type: 'text', text: word }] }],
      maxOutputTokens,
    })
    return text
  } catch (error) {
    if (error instanceof LostStep || error instanceof OutOfCredits) return lost
    throw error
  }
}

const outcome = (isWhole: boolean): Outcome => ({
  isWhole,
  words: { fa: 'تمام', en: isWhole ? 'whole' : 'with a gap' },
})

const env = readEnv(process.env, process.argv.slice(2))
const kherad = await startKherad({
  config: loadConfig(env, readConfigFile(env)),
  pipelines: pipelinesOf(() => scripted),
})
process.once('SIGTERM', () => void kherad[Symbol.asyncDispose]().then(() => process.exit(0)))
