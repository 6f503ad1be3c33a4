/** The addresses that a model may have fetched: those that the conversation has named, so that no page can lure it elsewhere. */
import type { Content, Message } from './inference.ts'

export class PriorContext {
  #text: string

  constructor(messages: readonly Message[]) {
    this.#text = messages.map(textOf).join('\n')
  }

  add(text: string): void {
    this.#text += `\n${text}`
  }

  /** With or without its scheme, escaped or not; a part of a named address is named too. */
  names(address: string): boolean {
    const url = URL.parse(address)
    if (!url) return false
    url.hash = ''
    const bare = url.href.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
    return this.#text.includes(bare) || this.#text.includes(readable(bare)) || this.#text.includes(address)
  }
}

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
