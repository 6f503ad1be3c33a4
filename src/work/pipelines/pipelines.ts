/**
 * The pipelines of durable work, one for each kind, whose steps are journalled so that they survive crashes (docs/decisions/work/durable-runs.md). A
 * pipeline is a plain function over a step context. Everything from outside, such as a model's answer, a search or a page, is requested from the step
 * context under a step name that is unique within the run. The result of a step is journalled; when the step is requested again, the journalled
 * result is returned and no call is made. After a crash the function is therefore simply run again from its beginning.
 */
import type { CitableSource, Message, OutputFormat, Tool, ToolCall, Usage } from '#core/turn'

import type { PipelinesOptions, WorkKind } from './kinds.ts'
import type { Localized } from './phrases.ts'

export { openPipelines, type PipelinesOptions, pipelinesOf, type WorkKind, workKinds } from './kinds.ts'

/** Definition of one kind of work: its name, its description for callers, its requirements and its pipeline. */
export interface WorkKindDefinition<Name extends string> {
  name: Name
  /** The result, as a part of a sentence. */
  makes: Localized
  /** What a budget above the default pays for, as a part of a sentence; only for kinds with more than one depth. */
  deeper?: Localized
  /** True for a kind that reads stored files. */
  readsFiles?: boolean
  open(options: Required<PipelinesOptions>): Pipeline
}

/** The task of a run. Plain JSON. */
export interface Task {
  kind: WorkKind
  /** The request in the caller's words. */
  input: string
  title?: string
  /** Instructions of the agent that the run belongs to. */
  instructions?: string
  /** Language of the result, detected from the script of the input. */
  language: 'fa' | 'en'
  /** The depth, from 1 to the `maxDepth` of the pipeline. Default: 1. */
  depth?: number
  /** When the run was accepted. A pipeline reads no other clock, so that it gives the same result when it is run again. */
  startedMs: number
  /** True if the models are simulators; every file is marked accordingly. */
  isSandbox: boolean
  /** Stored files that the caller named for the run, in their order; at most ten. */
  files?: readonly InputFile[]
}

/** A stored file as it was when the run was accepted. Plain JSON. */
export interface InputFile {
  id: string
  name: string | null
  mediaType: string
  bytes: number
}

/** A file on the local disk, deleted on disposal. It may be passed to a confined process (`ConfinedWork.files`). */
export interface LocalFile extends AsyncDisposable {
  /** The absolute path. */
  path: string
  bytes: number
  /** The hash in hexadecimal digits. */
  sha256: string
}

/** A file fetched from the web. */
export interface FetchedFile {
  file: LocalFile
  /** The final address, after redirects. */
  url: string
  /** The media type that the server declares, without parameters; not trustworthy. */
  mediaType: string
}

/** A question to the run's model. */
export interface Question {
  messages: Message[]
  tools?: Tool[]
  output?: OutputFormat
  /** Upper bound of the tokens of the answer. */
  maxOutputTokens: number
}

export interface ModelAnswer {
  text: string
  toolCalls: ToolCall[]
  usage: Usage
  /** False if the token limit cut the answer off. The journal stores this object: its members keep their names. */
  isWhole: boolean
}

/** A paid step whose process died before the outcome was known. It is never tried again, since it may have been charged. */
export class LostStep extends Error {
  override name = 'LostStep'
  readonly step: string
  constructor(step: string) {
    super(`Nobody knows how the step ${step} ended.`)
    this.step = step
  }
}

/** The step failed permanently: the upstream refused it or failed. `code` is one of our error codes. */
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

/** The remaining credits of the run do not cover the step. The pipeline delivers what it has so far. */
export class OutOfCredits extends Error {
  override name = 'OutOfCredits'
}

/** Everything that a pipeline may do. Step names consist of kebab-case words and slashes, such as `plan`, `section/3/draft`. */
export interface StepContext {
  readonly task: Task
  /** The account of the run; confined processes are scheduled fairly between accounts. */
  readonly accountId: string
  /** Aborts when the run is cancelled or this process shuts down; steps then throw its reason. */
  readonly signal: AbortSignal
  /** Whether a search engine is configured. Only for messages to people, since an operator may configure one during a run. */
  readonly searches: boolean
  /** Asks the model, at most once per step name in a run. Throws LostStep, FailedStep or OutOfCredits. */
  ask(step: string, question: Question): Promise<ModelAnswer>
  /** Searches the web. Empty if no search engine is configured or the search failed. Throws OutOfCredits as `ask` does. */
  search(step: string, query: string): Promise<readonly CitableSource[]>
  /** Reads one page or PDF of the web. Returns undefined if it cannot be read. */
  read(step: string, url: string): Promise<CitableSource | undefined>
  /** Passages of the caller's knowledge project; empty if the run has none. */
  recall(step: string, query: string): Promise<readonly CitableSource[]>
  /**
   * The bytes of an input file of the task; undefined if it has been deleted since. Not journalled: it is opened again when the run
   * resumes. Throws SPOOL_FULL, after which the run is tried again later.
   */
  open(file: InputFile): Promise<LocalFile | undefined>
  /**
   * Downloads a file of the web of at most `maxBytes`. It is charged like `read` and counts towards the `reads` of the plan; `refused`
   * holds the reason in both languages if there is no file. When the run resumes, it is fetched again without a second charge.
   */
  fetch(
    step: string,
    url: string,
    maxBytes: number,
  ): Promise<FetchedFile | { refused: { fa: string; en: string } }>
  /** An empty folder for a confined process (`ConfinedWork.scratch`), deleted on disposal. Throws SPOOL_FULL. */
  scratch(bytes: number): Promise<AsyncDisposable & { path: string; bytes: number }>
  /** Runs `compute` once and journals its result. For free work that is slow or not deterministic; the result is plain JSON. */
  once<Value>(step: string, compute: () => Promise<Value>): Promise<Value>
  /** Reports progress: 0 to 100, never decreasing, with a description in both languages. */
  progress(percent: number, words: { fa: string; en: string }): Promise<void>
  /** Saves a file of the result; saving the same path again replaces it. */
  saveFile(file: Deliverable): Promise<void>
  /** Like `saveFile`, for a file on the local disk, which is not read into memory. */
  saveLocalFile(file: Omit<Deliverable, 'bytes'>, filePath: string): Promise<void>
}

export interface Deliverable {
  /** The relative path, with `/` between folders: `report.pdf`, `charts/sales.png`. */
  path: string
  bytes: Uint8Array
  mediaType: string
  /** Display name in the task's language. */
  title: string
}

/** Upper bound of the steps of a run. The worst-case cost computed from it is held before the run begins. */
export interface Plan {
  /** Questions to the model, with upper bounds of the bytes of their prompts and the tokens of their answers. */
  asks: { count: number; promptBytes: number; maxOutputTokens: number }[]
  searches: number
  reads: number
}

export interface Pipeline {
  /** The greatest depth of a task. Default: 1. */
  maxDepth?: number
  plan(task: Task): Plan
  /** Saves what could be made and reports what is missing. If nothing can be saved, throws the error of the step context. */
  run(context: StepContext): Promise<PipelineResult>
}

export type Pipelines = Readonly<Record<WorkKind, Pipeline>>

export interface PipelineResult {
  /** False if something is missing, because credits ran out or a step was lost. `words` describe it. */
  isComplete: boolean
  words: { fa: string; en: string }
}
