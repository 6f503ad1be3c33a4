import type { ToolName, ToolResult } from '#engine/turn'
import { type Emit, Item, type Json } from './item.ts'

/** A use of the web while the model answers: a search, or a page that is opened. */
export class WebItem extends Item {
  readonly #action: Json
  readonly #tells: Telling

  constructor(id: string, index: number, emit: Emit, { action, tells }: { action: Json; tells: Telling }) {
    super({ type: 'web_search_call', id, status: 'in_progress', action }, index, emit)
    this.#action = action
    this.#tells = tells
    this.tell('response.web_search_call.in_progress', {})
    this.tell('response.web_search_call.searching', {})
    this.#tellTool({})
  }

  found({ results, error }: ToolResult): void {
    const pages = results.map(({ url, title }) => ({ url, title }))
    if (this.#tells.sources && this.#action['type'] === 'search')
      this.#action['sources'] = pages.map(({ url }) => ({ type: 'url', url }))
    this.json['status'] = error === undefined ? 'completed' : 'failed'
    // The wire has no event for a failure: the item says it.
    if (error === undefined) this.tell('response.web_search_call.completed', {})
    this.#tellTool({ results: pages, ...(error !== undefined && { error_code: error }) })
    this.done()
  }

  /** Nothing came of it. */
  close(): void {
    this.json['status'] = 'incomplete'
    this.done()
  }

  #tellTool(more: Json): void {
    if (this.#tells.tool) this.tell('response.tool', { ...toolEvent(this.json), ...more })
  }
}

export interface Telling {
  /** The pages that a search found stand in its item. */
  sources: boolean
  /** The contract's own event, which clients that did not ask for it do not know. */
  tool: boolean
}

export function actionOf(tool: ToolName, input: unknown): Json | undefined {
  const member = (name: string): string => {
    const value = (input as Json | null | undefined)?.[name]
    return typeof value === 'string' ? value : ''
  }
  if (tool === 'web_fetch') return { type: 'open_page', url: member('url') }
  const query = member('query')
  return tool === 'web_search' ? { type: 'search', query, queries: [query] } : undefined
}

/** What `response.tool` says of an item: which tool, how far it is, and what it was given. */
export function toolEvent({ status, action }: Json): Json {
  const { type, sources: _sources, ...input } = (action ?? {}) as Json
  return { tool: type === undefined || type === 'search' ? 'web_search' : 'web_fetch', status, input }
}
