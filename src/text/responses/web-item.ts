import type { ToolName, ToolResult } from '#core/turn'
import { type Emit, ResponseItem, type ResponseJson } from './item.ts'

/** A use of the web while the model answers: a search, or a page that is opened. */
export class WebItem extends ResponseItem {
  readonly #action: ResponseJson
  readonly #details: SearchDetails

  constructor(
    id: string,
    index: number,
    emit: Emit,
    { action, details }: { action: ResponseJson; details: SearchDetails },
  ) {
    super({ type: 'web_search_call', id, status: 'in_progress', action }, index, emit)
    this.#action = action
    this.#details = details
    this.emitEvent('response.web_search_call.in_progress', {})
    this.emitEvent('response.web_search_call.searching', {})
    this.#emitTool({})
  }

  finish({ results, error }: ToolResult): void {
    const pages = results.map(({ url, title }) => ({ url, title }))
    if (this.#details.sources && this.#action['type'] === 'search')
      this.#action['sources'] = pages.map(({ url }) => ({ type: 'url', url }))
    this.json['status'] = error === undefined ? 'completed' : 'failed'
    // The wire has no event for a failed search: only the item's status shows it.
    if (error === undefined) this.emitEvent('response.web_search_call.completed', {})
    this.#emitTool({ results: pages, ...(error !== undefined && { error_code: error }) })
    this.done()
  }

  /** Ends a use that has no result. */
  close(): void {
    this.json['status'] = 'incomplete'
    this.done()
  }

  #emitTool(more: ResponseJson): void {
    if (this.#details.tool) this.emitEvent('response.tool', { ...toolEvent(this.json), ...more })
  }
}

export interface SearchDetails {
  /** Lists the pages that a search found in its item. */
  sources: boolean
  /** Emits the contract's own event `response.tool`, which clients that did not ask for it do not know. */
  tool: boolean
}

export function actionOf(tool: ToolName, input: unknown): ResponseJson | undefined {
  const member = (name: string): string => {
    const value = (input as ResponseJson | null | undefined)?.[name]
    return typeof value === 'string' ? value : ''
  }
  if (tool === 'web_fetch') return { type: 'open_page', url: member('url') }
  const query = member('query')
  return tool === 'web_search' ? { type: 'search', query, queries: [query] } : undefined
}

/** The fields of `response.tool` for an item: the tool, its status and its input. */
export function toolEvent({ status, action }: ResponseJson): ResponseJson {
  const { type, sources: _sources, ...input } = (action ?? {}) as ResponseJson
  return { tool: type === undefined || type === 'search' ? 'web_search' : 'web_fetch', status, input }
}
