import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CitableSource } from '#core/turn'
import type {
  Deliverable,
  FailedStep,
  LocalFile,
  LostStep,
  ModelAnswer,
  OutOfCredits,
  Pipeline,
  PipelineResult,
  Question,
  StepContext,
  Task,
} from '#work/pipelines'
import { promptBytes, type Used } from './plan-use.ts'

/** The services behind a step context: a scripted model and a scripted web. */
type Said = string | Partial<ModelAnswer> | LostStep | FailedStep | OutOfCredits

export interface ScriptedServices {
  /** The answer to a step: its text, a complete answer, or the error that the step throws. */
  say(step: string, question: Question): Said | Promise<Said>
  search?(query: string): readonly CitableSource[]
  read?(url: string): CitableSource | undefined
  recall?(query: string): readonly CitableSource[]
  /** The bytes of a stored file or of a file on the web; undefined if there is none. */
  open?(id: string): Uint8Array | undefined
  fetch?(url: string): { bytes: Uint8Array; mediaType: string } | undefined
}

/** The process dies at a step. */
export class Killed extends Error {}

type StepAnswer = { value: unknown } | { error: Error }

interface Entry {
  kind: string
  /** The arguments, so that the same name is never used for another step. */
  asked: unknown
  answer: StepAnswer
}

/** When the process dies: before or after the n-th step that no earlier life has executed, or the n-th file. */
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

/**
 * A run in memory over any number of process lives: its journal, its files and its progress. The journal is keyed by the names of steps, so
 * that a second execution is answered from it.
 */
export class MemoryRun {
  readonly task: Task
  readonly files = new Map<string, Deliverable>()
  readonly progress: { percent: number; words: { fa: string; en: string } }[] = []
  readonly steps: string[] = []
  readonly questions: { step: string; question: Question }[] = []
  readonly used: Used = { asks: [], searches: 0, reads: 0 }
  readonly #journal = new Map<string, Entry>()
  readonly #services: ScriptedServices
  readonly #signal: AbortSignal

  constructor(task: Task, services: ScriptedServices, signal: AbortSignal = new AbortController().signal) {
    this.task = task
    this.#services = services
    this.#signal = signal
  }

  /** Runs one life; with `killAt`, until its death. */
  async live(pipeline: Pipeline, killAt?: ProcessDeath): Promise<PipelineResult> {
    const { task } = this
    const life = { run: this, task, journal: this.#journal, services: this.#services, signal: this.#signal }
    return pipeline.run(new Life({ ...life, killAt }))
  }
}

interface LifeOptions {
  run: MemoryRun
  task: Task
  journal: Map<string, Entry>
  services: ScriptedServices
  signal: AbortSignal
  killAt: ProcessDeath | undefined
}

/** The step context that one life passes to its pipeline. */
class Life implements StepContext {
  readonly task: Task
  readonly accountId = 'somebody'
  readonly signal: AbortSignal
  readonly searches: boolean
  readonly #run: MemoryRun
  readonly #journal: Map<string, Entry>
  readonly #services: ScriptedServices
  readonly #killAt: ProcessDeath | undefined
  readonly #begun = { steps: 0, keeps: 0 }
  readonly #named = new Set<string>()
  #percent = 0

  constructor({ run, task, journal, services, signal, killAt }: LifeOptions) {
    this.#run = run
    this.#journal = journal
    this.#services = services
    this.#killAt = killAt
    this.task = structuredClone(task)
    this.signal = signal
    this.searches = services.search !== undefined
  }

  ask(step: string, question: Question): Promise<ModelAnswer> {
    return this.#step('ask', step, question, () => answered(this.#run, step, question, this.#services))
  }

  search(step: string, query: string): Promise<readonly CitableSource[]> {
    return this.#step('search', step, query, async () => {
      this.#run.used.searches += 1
      return this.#services.search?.(query) ?? []
    })
  }

  read(step: string, url: string): Promise<CitableSource | undefined> {
    return this.#step('read', step, url, async () => {
      this.#run.used.reads += 1
      return this.#services.read?.(url)
    })
  }

  recall(step: string, query: string): Promise<readonly CitableSource[]> {
    return this.#step('recall', step, query, async () => this.#services.recall?.(query) ?? [])
  }

  async open({ id }: { id: string }): Promise<LocalFile | undefined> {
    const bytes = this.#services.open?.(id)
    return bytes && localFile(bytes)
  }

  async fetch(step: string, url: string): ReturnType<StepContext['fetch']> {
    const { isThere } = await this.#step('fetch', step, url, async () => {
      this.#run.used.reads += 1
      return { isThere: this.#services.fetch?.(url) !== undefined }
    })
    const found = isThere && this.#services.fetch?.(url)
    if (!found) return { refused: { fa: 'میزبان آن در دسترس نیست.', en: 'its host cannot be reached.' } }
    return { url, mediaType: found.mediaType, file: await localFile(found.bytes) }
  }

  async scratch(bytes: number): ReturnType<StepContext['scratch']> {
    return { ...(await folder()), bytes }
  }

  once<Value>(step: string, compute: () => Promise<Value>): Promise<Value> {
    return this.#step('once', step, null, async () => JSON.parse(JSON.stringify(await compute())) as Value)
  }

  async progress(next: number, words: { fa: string; en: string }): Promise<void> {
    if (!Number.isInteger(next) || next < this.#percent || next > 100)
      throw new Error(`progress went from ${this.#percent} to ${next}`)
    if (!words.fa || !words.en) throw new Error('progress without words')
    this.#percent = next
    this.#run.progress.push({ percent: next, words })
  }

  async saveFile(file: Deliverable): Promise<void> {
    this.#tick('keeps', 'before')
    this.#run.files.set(file.path, structuredClone(file))
    this.#tick('keeps', 'after')
  }

  async saveLocalFile(file: Omit<Deliverable, 'bytes'>, place: string): Promise<void> {
    await this.saveFile({ ...file, bytes: new Uint8Array(await readFile(place)) })
  }

  /** Answers a step from the journal, or executes it and records it there. */
  async #step<Value>(
    kind: string,
    step: string,
    asked: unknown,
    answer: () => Promise<Value>,
  ): Promise<Value> {
    this.signal.throwIfAborted()
    this.#requireNew(step)
    const known = this.#journal.get(step)
    if (known && (known.kind !== kind || !isDeepStrictEqual(known.asked, asked)))
      throw new Error(`${step} asks for something else in another life`)
    if (known) return replay<Value>(known.answer)
    this.#tick('steps', 'before')
    const copy = structuredClone(asked)
    const entry = { kind, asked: copy, answer: await outcomeOf(answer) }
    this.#journal.set(step, entry)
    this.#run.steps.push(step)
    this.#tick('steps', 'after')
    return replay<Value>(entry.answer)
  }

  #requireNew(step: string): void {
    if (!/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/.test(step)) throw new Error(`${step} is no name of a step`)
    if (this.#named.has(step)) throw new Error(`${step} was asked twice in one life`)
    this.#named.add(step)
  }

  /** Throws at the planned death of this life. */
  #tick(what: 'steps' | 'keeps', when: ProcessDeath['when']): void {
    if (when === 'before') this.#begun[what] += 1
    if (this.#killAt?.when === when && this.#begun[what] >= this.#killAt[what]) throw new Killed(what)
  }
}

async function folder(): Promise<AsyncDisposable & { path: string }> {
  const made = await mkdtemp(path.join(tmpdir(), 'kherad-run-'))
  return {
    path: made,
    [Symbol.asyncDispose]: () => rm(made, { recursive: true, force: true, maxRetries: 5 }),
  }
}

async function localFile(bytes: Uint8Array): Promise<LocalFile> {
  const own = await folder()
  const file = path.join(own.path, 'file')
  await writeFile(file, bytes, { mode: 0o444 })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ...own, path: file, bytes: bytes.length, sha256 }
}

async function outcomeOf(answer: () => Promise<unknown>): Promise<StepAnswer> {
  try {
    return { value: structuredClone(await answer()) }
  } catch (error) {
    return { error: error as Error }
  }
}

function replay<Value>(answer: StepAnswer): Value {
  if ('error' in answer) throw answer.error
  return structuredClone(answer.value) as Value
}

const usage = { input: 10, cachedInput: 0, cacheWriteInput: 0, mediaInput: 0, output: 10, reasoning: 0 }

async function answered(
  run: MemoryRun,
  step: string,
  question: Question,
  services: ScriptedServices,
): Promise<ModelAnswer> {
  run.questions.push({ step, question })
  run.used.asks.push({ promptBytes: promptBytes(question), maxOutputTokens: question.maxOutputTokens })
  const answer = await services.say(step, question)
  if (answer instanceof Error) throw answer
  return {
    toolCalls: [],
    usage,
    isWhole: true,
    text: '',
    ...(typeof answer === 'string' ? { text: answer } : answer),
  }
}

export const textOf = (question: Question): string =>
  question.messages
    .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n')

export const fileText = (run: MemoryRun, path: string): string =>
  new TextDecoder().decode(run.files.get(path)?.bytes)
