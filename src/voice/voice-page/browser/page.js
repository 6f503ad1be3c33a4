/** The page of calls: a session or a key, one button, and the calls. */
import { Api, sentenceOf } from './api.js'
import { PageCall } from './call.js'
import { Calls } from './calls.js'
import { Choices } from './choices.js'
import { element, make } from './make.js'
import { chooseLanguage, chooseProject, projectsOfSession } from './session.js'
import { Transcript } from './transcript.js'
import { credits, duration, language, translate } from './words.js'

/** @import { CallState, CallView } from './line.d.ts' */

const form = element('key-form')
const projects = select('project')
const keyInput = /** @type {HTMLInputElement} */ (element('key'))
const talk = /** @type {HTMLButtonElement} */ (element('talk'))
const settings = /** @type {HTMLFieldSetElement} */ (element('settings'))
const sound = /** @type {HTMLAudioElement} */ (element('sound'))
const choices = new Choices({
  model: select('model'),
  voice: select('voice'),
  agent: select('agent'),
  keep: /** @type {HTMLInputElement} */ (element('keep')),
})
const transcript = new Transcript(element('transcript'), element('spoken'))

/** @param {string} id */
function select(id) {
  return /** @type {HTMLSelectElement} */ (element(id))
}

/** @type {Api | undefined} */
let api
/** @type {Calls | undefined} */
let calls
/** @type {PageCall | undefined} */
let call
/** @type {ReturnType<typeof setInterval> | undefined} */
let ticking

// Without HTTPS browsers have no microphone, and report nothing about it.
const canHear = window.isSecureContext && navigator.mediaDevices !== undefined
if (!canHear) sayInsecure()
talk.disabled = !canHear
void enter()

function sayInsecure() {
  const port = location.port === '' ? '' : `:${location.port}`
  const [before = '', after = ''] = translate('insecure').split('{local}')
  const local = make('code', { text: `http://localhost${port}/voice` })
  local.dir = 'ltr'
  const guide = make('code', {
    text: language === 'fa' ? 'docs/guides/voice/calls.fa.md' : 'docs/guides/voice/calls.md',
  })
  guide.dir = 'ltr'
  const notice = element('insecure')
  notice.replaceChildren(
    make('p', {}, [before, local, after]),
    make('p', {}, [`${translate('insecureGuide')}: `, guide]),
  )
  notice.hidden = false
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const key = keyInput.value.trim()
  element('key-error').textContent = ''
  if (key === '') {
    element('key-error').textContent = translate('keyMissing')
    keyInput.focus()
    return
  }
  await useKey(key)
})

/** Shows the page of who has signed in, or how one comes in. */
async function enter() {
  try {
    const found = await projectsOfSession()
    if (found?.[0] === undefined) {
      showEntrance(found === undefined ? '' : translate('noProject'))
      return
    }
    projects.replaceChildren(...found.map(optionOf))
    await useSession(found[0].id)
  } catch (error) {
    showEntrance(sentenceOf(error))
  }
}

/** @param {import('./session.js').Project} project */
function optionOf({ id, name, account }) {
  const option = make('option', { text: `${name} · ${account}` })
  option.value = id
  option.dir = 'auto'
  return option
}

/**
 * Shows how one comes in: by signing in, or with a key.
 * @param {string} [sentence] why nobody is in
 */
function showEntrance(sentence = '') {
  element('sign-in-error').textContent = sentence
  for (const id of ['session-line', 'key-line', 'desk']) show(id, false)
  for (const id of ['sign-in', 'key-form']) show(id, true)
}

/** @param {string} project */
async function useSession(project) {
  try {
    await open(new Api({ project }), 'session-line')
  } catch (error) {
    showEntrance(sentenceOf(error))
  }
}

projects.addEventListener('change', () => {
  call?.hangUp()
  chooseProject(projects.value)
  void useSession(projects.value)
})

/** @param {string} key */
async function useKey(key) {
  try {
    await open(new Api({ secret: key }), 'key-line')
  } catch (error) {
    element('key-error').textContent = sentenceOf(error)
    return
  }
  // The key stays in no field, where another person could read it or a browser could store it.
  keyInput.value = ''
  // Its ends are enough to recognise it.
  talk.focus()
  element('key-shown').textContent = `${key.slice(0, 4)}…${key.slice(-4)}`
}

/**
 * Shows what the caller may choose, and the calls. Throws where the server refuses the caller.
 * @param {Api} next
 * @param {'session-line' | 'key-line'} line says in whose name the page calls
 */
async function open(next, line) {
  const mayList = await choices.load(next)
  element('choices-hint').textContent = mayList ? '' : translate('noModels')
  element('choices-hint').hidden = mayList
  api = next
  for (const id of ['sign-in', 'key-form']) show(id, false)
  for (const id of [line, 'desk']) show(id, true)
  showState('idle')
  calls = new Calls(next, {
    list: element('calls-list'),
    more: element('more'),
    error: element('calls-error'),
  })
  void calls.load()
}

for (const id of ['forget', 'use-key'])
  element(id).addEventListener('click', () => {
    call?.hangUp()
    api = undefined
    calls = undefined
    transcript.clear()
    element('calls-list').replaceChildren()
    showEntrance()
    keyInput.focus()
  })

element('other-language').addEventListener('click', ({ currentTarget }) => {
  chooseLanguage(/** @type {HTMLAnchorElement} */ (currentTarget).hreflang)
})

element('reload').addEventListener('click', () => calls?.load())
element('more').addEventListener('click', () => calls?.loadMore())

talk.addEventListener('click', () => {
  if (call) call.hangUp()
  else if (api) begin(api)
})

// Leaving the page hangs up.
window.addEventListener('pagehide', () => call?.hangUp())

/** @param {Api} caller */
function begin(caller) {
  transcript.clear()
  element('note').textContent = ''
  element('call-error').textContent = ''
  element('talk-label').textContent = translate('hangUp')
  settings.disabled = true
  showMoney({ spent: 0, held: 0 })
  for (const id of ['figures', 'transcript', 'transcript-title']) show(id, true)
  const begun = Date.now()
  const showTime = () => {
    element('time').textContent = duration((Date.now() - begun) / 1000)
  }
  showTime()
  ticking = setInterval(showTime, 1000)
  try {
    call = new PageCall(caller, view, sound)
  } catch {
    view.ended(translate('noSound'), true)
    return
  }
  void call.begin(choices.choice)
}

/** @type {CallView} */
const view = {
  state: showState,
  note(sentence) {
    element('note').textContent = sentence
  },
  money: showMoney,
  event: (event) => transcript.take(event),
  ended(sentence, failed) {
    const id = call?.id
    call = undefined
    clearInterval(ticking)
    element('held').textContent = credits(0)
    element('note').textContent = failed ? '' : sentence
    element('call-error').textContent = failed ? sentence : ''
    element('talk-label').textContent = translate('start')
    settings.disabled = false
    showState('idle')
    void showSettled(id)
  },
}

/** @param {{ spent: number, held: number }} figures */
function showMoney({ spent, held }) {
  element('spent').textContent = credits(spent)
  element('held').textContent = credits(held)
}

/** @param {CallState} state */
function showState(state) {
  const name = `state${state[0]?.toUpperCase()}${state.slice(1)}`
  element('call').dataset['state'] = state
  element('state').textContent = translate(name)
}

/**
 * A call is settled some moments after it has ended, with the steps that were under way.
 * @param {string | undefined} id
 */
async function showSettled(id) {
  for (const waitMs of [300, 1_500, 4_000]) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (call) return
    const [cost] = await Promise.all([id === undefined ? undefined : calls?.costOf(id), calls?.refresh()])
    if (cost !== undefined && !call) element('spent').textContent = credits(cost)
  }
}

/**
 * @param {string} id
 * @param {boolean} isShown
 */
function show(id, isShown) {
  element(id).hidden = !isShown
}
