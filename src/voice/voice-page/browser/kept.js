/** The words and the sound that are kept of a call, and the button that deletes both. */
import { sentenceOf } from './api.js'
import { make } from './make.js'
import { duration, localiseDigits, translate } from './words.js'

/** @import { Api } from './api.js' */
/** @import { CallRecord } from './calls.js' */

const pageSize = 500

/**
 * @param {Api} api
 * @param {CallRecord} call
 * @param {() => void} deleted
 */
export async function keptContentOf(api, call, deleted) {
  const address = `/v1/realtime/calls/${call.id}/transcript`
  const error = make('p', { className: 'error' })
  error.setAttribute('role', 'alert')
  try {
    const words = await wordsOf(api, address)
    return make('div', {}, [
      ...words,
      ...soundElements(api, call, error),
      deleteButton(api, address, deleted, error),
      error,
    ])
  } catch (refused) {
    return make('p', { className: 'error', text: sentenceOf(refused) })
  }
}

/**
 * @param {Api} api
 * @param {string} address
 */
async function wordsOf(api, address) {
  const list = make('ol', { className: 'lines' })
  list.tabIndex = 0
  list.setAttribute('aria-label', translate('transcript'))
  let after = -1
  for (;;) {
    const { data, has_more: hasMore, last } = await api.get(`${address}?limit=${pageSize}&after=${after}`)
    for (const { role, text, at_ms: atMs } of data) {
      const words = make('p', { text: localiseDigits(text) })
      words.dir = 'auto'
      const who = `${translate(role === 'user' ? 'you' : 'assistant')} · ${duration(atMs / 1000)}`
      list.append(make('li', {}, [make('span', { className: 'who', text: who }), words]))
    }
    if (!hasMore) break
    after = last
  }
  return list.children.length > 0 ? [list] : [make('p', { className: 'hint', text: translate('noWords') })]
}

/**
 * The button that plays the sound, which is fetched when pressed: its address takes the key in a header, which no player sends.
 * @param {Api} api
 * @param {CallRecord} call
 * @param {HTMLElement} error
 */
function soundElements(api, { sound, file_id: fileId }, error) {
  if (sound === 'lost') return [make('p', { className: 'hint', text: translate('soundLost') })]
  if (fileId === null) return []
  const place = make('div')
  const button = make('button', { className: 'plain', text: translate('listen') })
  button.type = 'button'
  button.addEventListener('click', async () => {
    button.disabled = true
    error.textContent = ''
    try {
      const player = make('audio')
      player.controls = true
      player.src = URL.createObjectURL(await api.bytes(`/v1/files/${fileId}`))
      button.replaceWith(player)
      player.focus()
    } catch (refused) {
      button.disabled = false
      error.textContent = sentenceOf(refused)
    }
  })
  place.append(button)
  return [place]
}

/**
 * @param {Api} api
 * @param {string} address
 * @param {() => void} deleted
 * @param {HTMLElement} error
 */
function deleteButton(api, address, deleted, error) {
  const button = make('button', { className: 'plain', text: translate('forgetCall') })
  button.type = 'button'
  button.addEventListener('click', async () => {
    if (!window.confirm(translate('forgetSure'))) return
    try {
      await api.remove(address)
      deleted()
    } catch (refused) {
      error.textContent = sentenceOf(refused)
    }
  })
  return button
}
