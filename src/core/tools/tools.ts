/**
 * The hosted tools, which this service runs itself when a model asks for them: search, fetch, dates and a shell. All share one interface; the loop
 * that calls models with them, its wires and its holds are elsewhere.
 */
import { type CostUnit, microcreditsOf } from '#core/models'
import type { ToolName, ToolResult } from '#core/turn'
import type { Config } from '#platform/config'
import { type FindIsolation, openConfinement } from '#platform/confined'
import { fail } from '#platform/errors'
import type { Log } from '#platform/log'
import type { GuardedClient } from '#platform/net'
import { bash, type ShellState } from './bash.ts'
import { datetime } from './datetime.ts'
import { webFetch } from './web-fetch.ts'
import { type SearchVendor, webSearch } from './web-search.ts'
import './errors.ts'

export { executionText } from './bash.ts'
export { type CountPages, openPageCounter, type PdfPages } from './count-pages.ts'
export { isTimeZone } from './datetime.ts'
export { isDomainRule } from './domains.ts'
export { toolFailure } from './failed.ts'
export { member, textMember } from './input.ts'
export { type DocumentReader, openReader, type ReadFailure, type ReadText } from './reader.ts'
export type { WebSearchConfig } from './settings.ts'
export { cleanText } from './tidy.ts'
export { pageText } from './web-fetch.ts'
export type { Finding, SearchOptions, SearchVendor } from './web-search.ts'
export { findingsText } from './web-search.ts'

export interface HostedTool {
  name: ToolName
  /** The description for the model. */
  description: string
  /** JSON Schema of the input, for the model. */
  parameters: Record<string, unknown>
  /** The micro-credits of one use that did not fail. */
  price: bigint
  /** The unit in which uses are counted on receipts, a plural noun; absent for tools that are always free. */
  unit?: CostUnit
  /**
   * Uses the tool once. Every failure is returned as a result for the model, with two exceptions: the signal's reason is thrown when the caller
   * disconnected, and defects throw.
   */
  run(input: unknown, context: ToolContext): Promise<ToolResult>
}

export interface ToolContext {
  /** The account that uses the tool: concurrency is shared fairly among accounts. */
  accountId: string
  signal: AbortSignal
  nowMs: number
  /** The most tokens of a fetched page, by a cautious estimate; default and maximum: 32,000. */
  maxContentTokens?: number
  /** Domains (with paths) that search and fetch may touch; absent or empty allows all. See `isDomainRule`. */
  allowedDomains?: readonly string[]
  blockedDomains?: readonly string[]
  /** Time zone of dates when the model names none. Default: Asia/Tehran. */
  timeZone?: string
  /** Kept by the caller for as long as one answer; plain JSON, read and replaced by the tools. */
  state: AnswerState
}

/** What the tools of one answer remember between their uses. */
export interface AnswerState {
  shell?: ShellState
}

export interface HostedTools {
  find(name: ToolName): HostedTool | undefined
  /** The tool, or the refusal `HOSTED_TOOL_NOT_CONFIGURED` (400) that says how to fix it. */
  requireTool(name: ToolName, param?: string): HostedTool
}

/** The tools of the service and those that a room adds. */
export function joinTools(tools: HostedTools, own: readonly HostedTool[]): HostedTools {
  const byName = new Map(own.map((tool) => [tool.name, tool]))
  return {
    find: (name) => byName.get(name) ?? tools.find(name),
    requireTool: (name, param) => byName.get(name) ?? tools.requireTool(name, param),
  }
}

export interface ToolsOptions {
  config: Pick<Config, 'tools' | 'defaults'>
  /** Undefined when no search vendor is configured. */
  search: SearchVendor | undefined
  client: GuardedClient
  log: Log
  isolation?: FindIsolation
}

/** The tools that this configuration has. Opens nothing: processes live as long as one use of a tool. */
export function openTools({ config, search, client, log, isolation }: ToolsOptions): HostedTools {
  const { webSearch: searching, webFetch: fetching } = config.tools
  const confine = openConfinement(log, undefined, isolation)
  const price = (usd: number) => microcreditsOf(usd, config.defaults)
  const all: HostedTool[] = [datetime(), bash(confine)]
  if (searching && search) all.push(webSearch(search, { price: price(searching.priceUsd), log }))
  if (fetching.enabled) all.push(webFetch(client, { price: price(fetching.priceUsd), confine }))
  const byName = new Map(all.map((tool) => [tool.name, tool]))
  return {
    find: (name) => byName.get(name),
    requireTool: (name, param) =>
      byName.get(name) ??
      fail('HOSTED_TOOL_NOT_CONFIGURED', { tool: name }, param === undefined ? {} : { param }),
  }
}
