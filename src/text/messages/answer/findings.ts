/** Collects the results of hosted tools in an answer: the number of charged uses, and the targets of citations. */
import type { AnswerPart, Citation } from '#core/turn'
import { hostedCallId } from '../call-ids.ts'
import type { MessageJson } from './usage.ts'

export class SearchFindings {
  readonly #places = new Map<string, string>()
  readonly #charged = { web_search: 0, web_fetch: 0 }
  #asked = false

  add({ id, tool, result }: Extract<AnswerPart, { type: 'hosted-result' }>): void {
    if (tool !== 'web_search' && tool !== 'web_fetch') return
    this.#asked = true
    if (result.error === undefined) this.#charged[tool]++
    for (const [position, { url }] of result.results.entries())
      this.#places.set(url, Buffer.from(`${hostedCallId(id)}:${position}`).toString('base64'))
  }

  /** The field `server_tool_use` of the usage: the numbers of uses that did not fail. Null if nothing was searched or fetched. */
  get usage(): MessageJson | null {
    if (!this.#asked) return null
    return { web_search_requests: this.#charged.web_search, web_fetch_requests: this.#charged.web_fetch }
  }

  citation({ url, title, citedText = '' }: Citation): MessageJson {
    return {
      type: 'web_search_result_location',
      url,
      title,
      encrypted_index: this.#places.get(url) ?? '',
      cited_text: citedText,
    }
  }
}
