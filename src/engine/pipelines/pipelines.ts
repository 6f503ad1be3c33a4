/**
 * Long work by models: pipelines that survive crashes. A pipeline is a plain function over a desk. Whatever it wants from outside,
 * a model's words, a search, a page, it asks the desk for under a name that is its own for good; what was answered under a name
 * once is answered again without asking, so that after a crash the function is simply run again from its beginning.
 */
import type { Message, OutputFormat, Source, Tool, ToolCall, Usage } from '#engine/turn'

import type { PipelinesOptions, WorkKind } from './kinds.ts'
import type { Localized } from './phrases.ts'

export { openPipelines, type PipelinesOptions, pipelinesOf, type WorkKind, workKinds } from './kinds.ts'

/** A kind of work, in one place: its name, what callers are told of it, what it takes, and its pipeline. */
export interface KindOfWork<Name extends string> {
  name: Name
  /** What is made, as a part of a sentence. */
  makes: Localized
  /** What a budget above the usual buys, as a part of a sentence; for kinds that go deeper. */
  deeper?: Localized
  /** True for a kind that reads stored files. */
  readsFiles?: boolean
  open(options: Required<PipelinesOptions>): Pipeline
}

/** What a run is to do. Plain JSON. */
export interface Task {
  kind: WorkKind
  /** The caller's own words. */
  input: string
  title?: string
  /** Instructions of the agent that the run belongs to. */
  instructions?: string
  /** Of the words people will read; by the input's own script. */
  language: 'fa' | 'en'
  /** How deep it goes, from 1 to the `deepest` of its pipeline; 1 where it is absent. */
  depth?: number
  /** When the run was accepted: the only time that a pipeline knows. */
  startedMs: number
  /** True where the models are simulators: every file says so. */
  isSandbox: boolean
  /** Stored files that the caller named for the run, in their order; at most ten. */
  files?: readonly GivenFile[]
}

/** A stored file as it was when the run was accepted. Plain JSON. */
export interface GivenFile {
  id: string
  name: string | null
  mediaType: string
  bytes: number
}

/** Bytes on the disk of this machine, deleted when it is disposed; what a confined process may be given (`ConfinedWork.files`). */
export interface LocalFile extends AsyncDisposable {
  /** Absolute. */
  path: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
}

/** A file of the web. */
export interface FetchedFile {
  file: LocalFile
  /** Where it came from in the end. */
  url: string
  /** As the site has it, without parameters; not to be believed. */
  mediaType: string
}

/** A question to the run's model. */
export interface Question {
  messages: Message[]
  tools?: Tool[]
  output?: OutputFormat
  /** Tokens of the answer, at most. */
  maxOutputTokens: number
}

export interface ModelAnswer {
  text: string
  toolCalls: ToolCall[]
  usage: Usage
  /** False where the limit of tokens cut it. */
  isWhole: boolean
}

/** A paid step whose process died before its end was known: it is never asked again. */
export class LostStep extends Error {
  override name = 'LostStep'
  readonly step: string
  constructor(step: string) {
    super(`Nobody knows how the step ${step} ended.`)
    this.step = step
  }
}

/** The step failed for good: the upstream refused or broke. `code` is of our own error codes. */
export class FailedStep extends Error {
  override name = 'FailedStep'
  readonly step: string
  readonly code: string
  constructor(step: string, code: string) {
    super(`The step ${step} failed: ${code}.`)
    this.step = step
    this.code = code
  }
}

/** What is left of the run's credits does not pay the step; what there is is handed over. */
export class OutOfCredits extends Error {
  override name = 'OutOfCredits'
}

/** Everything that a pipeline may do. All steps are named by kebab-case words and slashes, such as `plan`, `section/3/draft`. */
export interface StepContext {
  readonly task: Task
  /** Whose the run is; what it has confined takes turns with others by it. */
  readonly accountId: string
  /** Aborts when the run was cancelled or this process stops; steps throw its reason. */
  readonly signal: AbortSignal
  /** Whether a search engine is set up; only for words, since an operator may set one up in the middle of a run. */
  readonly searches: boolean
  /** Asks the model, once in the life of the run. Throws LostStep, FailedStep or OutOfCredits. */
  ask(step: string, question: Question): Promise<ModelAnswer>
  /** Searches the web; nothing where no engine is set up or the search failed. Throws as `ask` does for money. */
  search(step: string, query: string): Promise<readonly Source[]>
  /** Reads one page or PDF of the web; undefined where it cannot be read. */
  read(step: string, url: string): Promise<Source | undefined>
  /** Passages of the caller's knowledge project; empty where the run has none. */
  recall(step: string, query: string): Promise<readonly Source[]>
  /**
   * The bytes of a file of the task; undefined where it has been deleted since, for good. Not journalled: another life opens it again.
   * Throws SPOOL_FULL, after which the run is tried again later.
   */
  open(file: GivenFile): Promise<LocalFile | undefined>
  /**
   * A whole file of the web of at most `maxBytes`, paid as `read` is and counted among the `reads` of the plan; `refused` says in both
   * languages why there is none. Another life fetches it again, without paying.
   */
  fetch(
    step: string,
    url: string,
    maxBytes: number,
  ): Promise<FetchedFile | { refused: { fa: string; en: string } }>
  /** An empty folder for a confined process (`ConfinedWork.scratch`), deleted when it is disposed. Throws SPOOL_FULL. */
  scratch(bytes: number): Promise<AsyncDisposable & { path: string; bytes: number }>
  /** Something that is not paid and takes long or is not the same twice; `compute` answers plain JSON. */
  once<Value>(step: string, compute: () => Promise<Value>): Promise<Value>
  /** Tells whoever watches how far it is: 0 to 100, never back, with words in both languages. */
  progress(percent: number, words: { fa: string; en: string }): Promise<void>
  /** Hands over a file of the deliverable; the same path again replaces it. */
  saveFile(file: Deliverable): Promise<void>
  /** The same for one that lies on this machine, which is not read into memory. */
  saveLocalFile(file: Omit<Deliverable, 'bytes'>, place: string): Promise<void>
}

export interface Deliverable {
  /** Relative, with `/` between folders: `report.pdf`, `charts/sales.png`. */
  path: string
  bytes: Uint8Array
  mediaType: string
  /** For people, in the task's language. */
  title: string
}

/** What the whole of a run can cost at most, in steps: from it the credits of the run are reserved before it begins. */
export interface Plan {
  /** Questions to the model, with the bytes of their prompts and the tokens of their answers at most. */
  asks: { count: number; promptBytes: number; maxOutputTokens: number }[]
  searches: number
  reads: number
}

export interface Pipeline {
  /** Depths that a task may have, where it may have more than one. */
  deepest?: number
  plan(task: Task): Plan
  /** Throws what the desk throws where nothing can be handed over; otherwise hands over what there is, and says what is missing. */
  run(desk: StepContext): Promise<Outcome>
}

export type Pipelines = Readonly<Record<WorkKind, Pipeline>>

export interface Outcome {
  /** False where something was left out: credits ran out, a step was lost. The words say what. */
  isWhole: boolean
  words: { fa: string; en: string }
}
