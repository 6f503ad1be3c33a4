/** The addresses that a model may have fetched: those that the conversation has named, so that no page can lure it elsewhere. */
import { domainToUnicode } from 'node:url'
import type { Content, Message } from '#engine/turn'

export class PriorContext {
  #text: string

  constructor(messages: readonly Message[]) {
    this.#text = messages.map(textOf).join('\n')
  }

  add(text: string): void {
    this.#text += `\n${text}`
  }

  /**
   * With or without its scheme, its host in any case and in either spelling of an IDN, its path escaped or not; a part of a named
   * address is named too. Paths keep their case: a page could otherwise have its reader tell secrets in capitals.
   */
  names(address: string): boolean {
    const url = URL.parse(address)
    if (!url) return false
    const rest = `${url.pathname}${url.search}`.replace(/\/$/, '')
    const rests = [rest, readable(rest)]
    const hosts = [url.hostname, domainToUnicode(url.hostname) || url.hostname]
    const port = url.port && `:${url.port}`
    return (
      this.#text.includes(address) ||
      hosts.some((host) => this.#holds(host.replace(/^www\.(?=.)/, '') + port, rests))
    )
  }

  #holds(host: string, rests: readonly string[]): boolean {
    for (const { index } of this.#text.matchAll(new RegExp(literally(host), 'gi')))
      if (rests.some((rest) => this.#text.startsWith(rest, index + host.length))) return true
    return false
  }
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const readable = (text: string): string => {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** What the model itself has said names nothing. */
function textOf({ role, content }: Message): string {
  return role === 'assistant' ? '' : content.map(contentText).join('\n')
}

function contentText(content: Content): string {
  if (content.type === 'text') return content.text
  if (content.type !== 'document') return ''
  const parts = 'parts' in content ? content.parts.map(contentText) : []
  return [content.title ?? '', content.context ?? '', ...parts].join('\n')
}
