import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type {
  Deliverable,
  FailedStep,
  LocalFile,
  LostStep,
  ModelAnswer,
  Outcome,
  OutOfCredits,
  Pipeline,
  Plan,
  Question,
  StepContext,
  Task,
} from '#engine/pipelines'
import type { Source } from '#engine/turn'

/** The outside of a step context: a scripted model and a scripted web. */
export interface Outside {
  /** The answer to a step: its text, or a whole Said, or what the step throws. */
  say(step: string, question: Question): string | Partial<ModelAnswer> | LostStep | FailedStep | OutOfCredits
  search?(query: string): readonly Source[]
  read?(url: string): Source | undefined
  recall?(query: string): readonly Source[]
  /** The bytes of a stored file, or of a file of the web; undefined where there is none. */
  open?(id: string): Uint8Array | undefined
  fetch?(url: string): { bytes: Uint8Array; mediaType: string } | undefined
}

/** The death of the process at a step. */
export class Killed extends Error {}

interface Entry {
  kind: string
  /** What was asked, so that the same name never asks for something else. */
  asked: unknown
  answer?: { value: unknown } | { error: Error }
}

/** The journal, the files and the news of one run, for as many lives as it has. */
export interface MemoryRun {
  readonly task: Task
  readonly files: Map<string, Deliverable>
  readonly progress: { percent: number; words: { fa: string; en: string } }[]
  readonly steps: string[]
  readonly questions: { step: string; question: Question }[]
  readonly used: { asks: { promptBytes: number; maxOutputTokens: number }[]; searches: number; reads: number }
  /** One life; with `killAt`, until its death. */
  live(pipeline: Pipeline, killAt?: ProcessDeath): Promise<Outcome>
}

/** At the so-manieth step that no life has answered before, or the so-manieth file, before or after it. */
export interface ProcessDeath {
  when: 'before' | 'after'
  steps: number
  keeps: number
}

export const someTask = (task: Partial<Task> & Pick<Task, 'kind' | 'input'>): Task => ({
  language: 'en',
  startedMs: Date.UTC(2026, 10, 20, 9, 30),
  isSandbox: false,
  ...task,
})

/** A run in memory: journalled by the names of steps, so that a second execution answers them from the journal. */
export function memoryRun(
  task: Task,
  outside: Outside,
  signal: AbortSignal = new AbortController().signal,
): MemoryRun {
  const journal = new Map<string, Entry>()
  const run: Omit<MemoryRun, 'live'> = {
    task,
    files: new Map(),
    progress: [],
    steps: [],
    questions: [],
    used: { asks: [], searches: 0, reads: 0 },
  }
  const live = async (pipeline: Pipeline, killAt?: ProcessDeath) => {
    const begun = { steps: 0, keeps: 0 }
    let percent = 0
    const named = new Set<string>()
    const tick = (what: 'steps' | 'keeps', when: ProcessDeath['when']) => {
      if (when === 'before') begun[what] += 1
      if (killAt?.when === when && begun[what] >= killAt[what]) throw new Killed(what)
    }
    const stepped = async <Value>(
      kind: string,
      step: string,
      asked: unknown,
      answer: () => Promise<Value>,
    ) => {
      signal.throwIfAborted()
      if (!/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/.test(step)) throw new Error(`${step} is no name of a step`)
      if (named.has(step)) throw new Error(`${step} was asked twice in one life`)
      named.add(step)
      const known = journal.get(step)
      if (known && (known.kind !== kind || !isDeepStrictEqual(known.asked, asked)))
        throw new Error(`${step} asks for something else in another life`)
      if (known?.answer) return replay<Value>(known.answer)
      tick('steps', 'before')
      const entry: Entry = { kind, asked: structuredClone(asked) }
      try {
        const value = await answer()
        entry.answer = { value: structuredClone(value) }
      } catch (error) {
        entry.answer = { error: error as Error }
      }
      journal.set(step, entry)
      run.steps.push(step)
      tick('steps', 'after')
      return replay<Value>(entry.answer)
    }
    const desk: StepContext = {
      task: structuredClone(task),
      accountId: 'somebody',
      signal,
      searches: outside.search !== undefined,
      ask: (step, question) =>
        stepped('ask', step, question, async () => answered(run, step, question, outside)),
      search: (step, query) =>
        stepped('search', step, query, async () => {
          run.used.searches += 1
          return outside.search?.(query) ?? []
        }),
      read: (step, url) =>
        stepped('read', step, url, async () => {
          run.used.reads += 1
          return outside.read?.(url)
        }),
      recall: (step, query) => stepped('recall', step, query, async () => outside.recall?.(query) ?? []),
      open: async ({ id }) => {
        const bytes = outside.open?.(id)
        return bytes && localFile(bytes)
      },
      fetch: async (step, url) => {
        const told = await stepped('fetch', step, url, async () => {
          run.used.reads += 1
          return { isThere: outside.fetch?.(url) !== undefined }
        })
        const found = told.isThere && outside.fetch?.(url)
        if (!found) return { refused: { fa: 'میزبان آن در دسترس نیست.', en: 'its host cannot be reached.' } }
        return { url, mediaType: found.mediaType, file: await localFile(found.bytes) }
      },
      scratch: async (bytes) => ({ ...(await folder()), bytes }),
      once: (step, compute) =>
        stepped(
          'once',
          step,
          null,
          async () => JSON.parse(JSON.stringify(await compute())) as Awaited<ReturnType<typeof compute>>,
        ),
      async progress(next, words) {
        if (!Number.isInteger(next) || next < percent || next > 100)
          throw new Error(`progress went from ${percent} to ${next}`)
        if (!words.fa || !words.en) throw new Error('progress without words')
        percent = next
        run.progress.push({ percent: next, words })
      },
      async saveFile(file) {
        tick('keeps', 'before')
        run.files.set(file.path, structuredClone(file))
        tick('keeps', 'after')
      },
      saveLocalFile: async (file, place) =>
        desk.saveFile({ ...file, bytes: new Uint8Array(await readFile(place)) }),
    }
    return pipeline.run(desk)
  }
  return { ...run, live }
}

async function folder(): Promise<AsyncDisposable & { path: string }> {
  const made = await mkdtemp(path.join(tmpdir(), 'kherad-desk-'))
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true }) }
}

async function localFile(bytes: Uint8Array): Promise<LocalFile> {
  const own = await folder()
  const file = path.join(own.path, 'file')
  await writeFile(file, bytes, { mode: 0o444 })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ...own, path: file, bytes: bytes.length, sha256 }
}

function replay<Value>(answer: { value: unknown } | { error: Error }): Value {
  if ('error' in answer) throw answer.error
  return structuredClone(answer.value) as Value
}

const usage = { input: 10, cachedInput: 0, cacheWriteInput: 0, mediaInput: 0, output: 10, reasoning: 0 }

function answered(
  run: Omit<MemoryRun, 'live'>,
  step: string,
  question: Question,
  outside: Outside,
): ModelAnswer {
  run.questions.push({ step, question })
  run.used.asks.push({ promptBytes: promptBytes(question), maxOutputTokens: question.maxOutputTokens })
  const said = outside.say(step, question)
  if (said instanceof Error) throw said
  return {
    toolCalls: [],
    usage,
    isWhole: true,
    text: '',
    ...(typeof said === 'string' ? { text: said } : said),
  }
}

/** As the worst case of a call counts them. */
export function promptBytes({ messages, output, tools = [] }: Question): number {
  let bytes = 64
  for (const { content } of messages)
    for (const part of content) bytes += 32 + (part.type === 'text' ? Buffer.byteLength(part.text) : 0)
  if (output?.type === 'json_schema') bytes += Buffer.byteLength(JSON.stringify(output.schema))
  return bytes + (tools.length > 0 ? Buffer.byteLength(JSON.stringify(tools)) : 0)
}

/** Whether what was used fits a plan: every question has a place of its own among the planned ones. */
export function fits({ asks, searches, reads }: MemoryRun['used'], plan: Plan): boolean {
  const left = plan.asks
    .map((each) => ({ ...each }))
    .toSorted((a, b) => a.promptBytes - b.promptBytes || a.maxOutputTokens - b.maxOutputTokens)
  // The largest questions are placed first, each where it fits most tightly.
  for (const ask of asks.toSorted(
    (a, b) => b.maxOutputTokens - a.maxOutputTokens || b.promptBytes - a.promptBytes,
  )) {
    const place = left.find(
      (each) =>
        each.count > 0 && each.promptBytes >= ask.promptBytes && each.maxOutputTokens >= ask.maxOutputTokens,
    )
    if (!place) return false
    place.count -= 1
  }
  return searches <= plan.searches && reads <= plan.reads
}

export const textOf = (question: Question): string =>
  question.messages
    .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n')

export const fileText = (run: MemoryRun, path: string): string =>
  new TextDecoder().decode(run.files.get(path)?.bytes)
