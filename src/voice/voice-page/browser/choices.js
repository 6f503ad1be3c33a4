/** The choice of model, voice and agent for a call, as far as the caller may see them. */
import { Refusal } from './api.js'
import { language, translate } from './words.js'

/** @import { Api } from './api.js' */
/** @import { CallChoice } from './line.d.ts' */

/**
 * @typedef {{ id: string, name?: string, gender?: string, languages?: string[] }} Voice
 * @typedef {{ id: string, display_name: string, kind: string, default: boolean, studio_settings?: any }} Model
 */

export class Choices {
  #model
  #voice
  #agent
  #keep
  /** @type {Model[]} */
  #models = []

  /**
   * @param {{ model: HTMLSelectElement, voice: HTMLSelectElement, agent: HTMLSelectElement, keep: HTMLInputElement }} elements
   */
  constructor({ model, voice, agent, keep }) {
    this.#model = model
    this.#voice = voice
    this.#agent = agent
    this.#keep = keep
    model.addEventListener('change', () => this.#showVoices())
    agent.addEventListener('change', () => this.#showVoices())
  }

  /**
   * Loads the lists. Returns false where the caller may not list models: then the default one answers.
   * @param {Api} api
   */
  async load(api) {
    const models = await listIfAllowed(api, '/v1/models')
    const agents = await listIfAllowed(api, '/v1/agents')
    this.#showAgents(agents ?? [])
    this.#models = models ?? []
    this.#showModels()
    this.#showVoices()
    return models !== undefined
  }

  /** @returns {CallChoice} */
  get choice() {
    const agent = this.#agent.value
    // An agent has a model of its own.
    const model = agent ? '' : this.#model.value
    const voice = this.#voice.value
    return {
      ...(agent && { agent_id: agent }),
      store: this.#keep.checked,
      session: {
        type: 'realtime',
        ...(model && { model }),
        audio: {
          // Spoken Persian is mistaken for similar languages where the language is not named.
          ...(language === 'fa' && { input: { transcription: { language } } }),
          ...(voice && { output: { voice } }),
        },
      },
    }
  }

  /** @param {{ id: string, name: string, kind: string }[]} agents */
  #showAgents(agents) {
    const talking = agents.filter(({ kind }) => kind === 'chat').map(({ id, name }) => option(id, name))
    this.#agent.replaceChildren(option('', translate('noAgent')), ...talking)
    this.#agent.disabled = talking.length === 0
  }

  #showModels() {
    const groups = /** @type {const} */ ([
      ['realtime', 'realtimeModels'],
      ['text', 'textModels'],
    ]).flatMap(([kind, label]) => {
      const options = this.#models
        .filter((one) => one.kind === kind)
        .map((one) => option(one.id, one.display_name))
      if (options.length === 0) return []
      const group = document.createElement('optgroup')
      group.label = translate(label)
      group.append(...options)
      return group
    })
    // Only for a caller who sees no models does the server choose.
    this.#model.replaceChildren(...(groups.length > 0 ? groups : [option('', translate('standardModel'))]))
    const first = this.#models.find((one) => one.kind === 'realtime' && one.default)
    if (first) this.#model.value = first.id
  }

  /** Shows the voices of the model that speaks for the chosen one. */
  #showVoices() {
    const before = this.#voice.value
    this.#model.disabled = this.#agent.value !== ''
    const chosen = this.#agent.value ? undefined : this.#models.find(({ id }) => id === this.#model.value)
    const speaks = this.#models.filter(({ kind }) => kind === 'audio')
    const named = speaks.find(({ id }) => id === chosen?.studio_settings?.speech_model)
    const speech = named ?? speaks.find((one) => one.default) ?? speaks[0]
    /** @type {Voice[]} */
    const voices = speech?.studio_settings?.voices ?? []
    this.#voice.replaceChildren(
      option('', translate('standardVoice')),
      ...voices.map((voice) => option(voice.id, nameOf(voice))),
    )
    if (voices.some(({ id }) => id === before)) this.#voice.value = before
  }
}

/**
 * The rows of a list; undefined where the caller may not read it.
 * @param {Api} api
 * @param {string} path
 */
const listIfAllowed = (api, path) =>
  api.get(path).then(
    ({ data }) => data,
    (error) => {
      if (error instanceof Refusal && ['INSUFFICIENT_SCOPE', 'INSUFFICIENT_ROLE'].includes(error.code))
        return undefined
      throw error
    },
  )

/** @param {Voice} voice */
function nameOf({ id, name, gender }) {
  const kind = gender === 'female' || gender === 'male' ? ` (${translate(gender)})` : ''
  return `${name ?? id}${kind}`
}

/**
 * @param {string} value
 * @param {string} text
 */
function option(value, text) {
  const one = document.createElement('option')
  one.value = value
  one.dir = 'auto'
  one.textContent = text
  return one
}
