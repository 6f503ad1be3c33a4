/** The URLs that a model may fetch: only those that appear in the conversation, so that a page cannot direct it elsewhere (prompt injection). */
import { domainToUnicode } from 'node:url'
import type { Message, MessageContent } from '#core/turn'

export class PriorContext {
  #text: string

  constructor(messages: readonly Message[]) {
    this.#text = messages.map(textOf).join('\n')
  }

  add(text: string): void {
    this.#text += `\n${text}`
  }

  /**
   * Whether the conversation contains the address: with or without scheme, host in any case and either IDN spelling, path escaped or
   * not; a prefix of a contained address counts too. Paths are case-sensitive: otherwise a page could exfiltrate data in letter case.
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

/** The text of a message; the model's own messages do not count. */
function textOf({ role, content }: Message): string {
  return role === 'assistant' ? '' : content.map(contentText).join('\n')
}

function contentText(content: MessageContent): string {
  if (content.type === 'text') return content.text
  if (content.type !== 'document') return ''
  const parts = 'parts' in content ? content.parts.map(contentText) : []
  return [content.title ?? '', content.context ?? '', ...parts].join('\n')
}
