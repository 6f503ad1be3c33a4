/**
 * A separate server process with scripted durable work, for tests that kill it: `node tests/harness/work-main.ts`. The task's input is the
 * script: words separated by spaces, each a step that asks the model for that word; `+word` asks for it concurrently with the next.
 */
import './control.ts'
import { readConfigFile, readEnv } from '#platform/config'
import { loadConfig } from '#settings'
import {
  LostStep,
  OutOfCredits,
  type Pipeline,
  type PipelineResult,
  pipelinesOf,
  type StepContext,
} from '#work/pipelines'
import { startKherad } from '../../src/server.ts'

const maxOutputTokens = 100

const scripted: Pipeline = {
  plan: ({ input }) => ({
    asks: [{ count: input.split(' ').length, promptBytes: 200, maxOutputTokens }],
    searches: 0,
    reads: 0,
  }),
  async run(context) {
    const lines: string[] = []
    const words = context.task.input.split(' ')
    const answers: Promise<string>[] = []
    for (const [place, word] of words.entries()) {
      answers.push(say(context, word.replace('+', '')))
      answers.at(-1)!.catch(() => {})
      if (word.startsWith('+')) continue
      lines.push(...(await Promise.all(answers.splice(0))))
      await context.progress(((place + 1) * 90) / words.length, { fa: word, en: word })
    }
    await context.saveFile({
      path: 'said.txt',
      bytes: Buffer.from(lines.join('\n')),
      mediaType: 'text/plain',
      title: 'said',
    })
    return outcome(!lines.includes(lost))
  },
}

const lost = '(lost)'

async function say(context: StepContext, word: string): Promise<string> {
  try {
    const { text } = await context.ask(word, {
      messages: [{ role: 'user', content: [{ type: 'text', text: word }] }],
      maxOutputTokens,
    })
    return text
  } catch (error) {
    if (error instanceof LostStep || error instanceof OutOfCredits) return lost
    throw error
  }
}

const outcome = (isComplete: boolean): PipelineResult => ({
  isComplete,
  words: { fa: 'تمام', en: isComplete ? 'whole' : 'with a gap' },
})

const env = readEnv(process.env, process.argv.slice(2))
const kherad = await startKherad({
  config: loadConfig(env, readConfigFile(env)),
  pipelines: pipelinesOf(() => scripted),
})
process.once('SIGTERM', () => void kherad[Symbol.asyncDispose]().then(() => process.exit(0)))
