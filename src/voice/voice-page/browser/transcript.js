/** The words of both sides: a line for each message, in the order of the conversation. */
import { localiseDigits, translate } from './words.js'

/** @import { CallEvent } from './line.d.ts' */

/** @typedef {{ line: HTMLLIElement, words: HTMLElement, who: string, text: string }} TranscriptEntry */

export class Transcript {
  #list
  #spoken
  /** @type {Map<string, TranscriptEntry>} */
  #entries = new Map()

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} spoken reads finished lines to people who do not see the page
   */
  constructor(list, spoken) {
    this.#list = list
    this.#spoken = spoken
  }

  clear() {
    this.#list.replaceChildren()
    this.#spoken.textContent = ''
    this.#entries.clear()
  }

  /** @param {CallEvent} event */
  take(event) {
    const id = event['item_id']
    switch (event.type) {
      case 'conversation.item.added':
        this.#add(event['item'], event['previous_item_id'])
        break
      case 'conversation.item.input_audio_transcription.delta':
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        this.#write(id, (this.#entries.get(id)?.text ?? '') + event['delta'])
        break
      case 'conversation.item.input_audio_transcription.completed':
      case 'response.output_audio_transcript.done':
        this.#finish(id, event['transcript'])
        break
      case 'response.output_text.done':
        this.#finish(id, event['text'])
        break
      case 'conversation.item.input_audio_transcription.failed':
        this.#finish(id, translate('unheard'))
        break
      case 'conversation.item.truncated':
        this.#cut(id)
        break
      case 'conversation.item.deleted':
        this.#remove(id)
    }
  }

  /**
   * @param {{ id: string, type: string, role?: string }} item
   * @param {string | null | undefined} previousId
   */
  #add({ id, type, role }, previousId) {
    if (type !== 'message' || (role !== 'user' && role !== 'assistant') || this.#entries.has(id)) return
    const line = document.createElement('li')
    const who = translate(role === 'user' ? 'you' : 'assistant')
    const name = document.createElement('span')
    name.className = 'who'
    name.textContent = who
    const words = document.createElement('p')
    words.dir = 'auto'
    line.className = `said ${role}`
    // The line has no words yet.
    line.hidden = true
    line.append(name, words)
    const before = previousId ? this.#entries.get(previousId)?.line : undefined
    if (before) before.after(line)
    else this.#list.append(line)
    this.#entries.set(id, { line, words, who, text: '' })
  }

  /**
   * @param {string} id
   * @param {string} text
   */
  #write(id, text) {
    const entry = this.#entries.get(id)
    if (!entry) return
    const atEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 40
    entry.text = text
    entry.words.textContent = localiseDigits(text)
    entry.line.hidden = text.trim() === ''
    if (atEnd) this.#list.scrollTop = this.#list.scrollHeight
  }

  /**
   * @param {string} id
   * @param {string} text
   */
  #finish(id, text) {
    this.#write(id, text)
    const entry = this.#entries.get(id)
    if (entry && text.trim() !== '') this.#spoken.textContent = `${entry.who}: ${localiseDigits(text)}`
  }

  /**
   * Marks an interrupted line, whose words are those that were heard.
   * @param {string} id
   */
  #cut(id) {
    const line = this.#entries.get(id)?.line
    if (!line || line.querySelector('.cut')) return
    const mark = document.createElement('span')
    mark.className = 'cut'
    mark.textContent = translate('cut')
    line.append(mark)
  }

  /** @param {string} id */
  #remove(id) {
    this.#entries.get(id)?.line.remove()
    this.#entries.delete(id)
  }
}
