/** A to-do list: who signs in keeps tasks, private files, and a report that a function writes. */
import { createClient } from '@supabase/supabase-js'

// What `build.mjs` was given; both are public.
const url = CLOUD_URL
const key = CLOUD_PUBLIC_KEY
// The sentences of the server are for people, too: this page asks for them in Persian, whatever the browser speaks.
const language = { 'accept-language': 'fa' }
const cloud = createClient(url, key, { global: { headers: language } })

const number = new Intl.NumberFormat('fa-IR')
const day = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { day: 'numeric', month: 'long' })
const weekday = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { weekday: 'long' })
const year = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { year: 'numeric' })
/** «پنجشنبه ۵ آذر ۱۴۰۵»: written out, as the order of the parts that browsers give is not that of Persian text. */
const wholeDay = (date) =>
  `${weekday.format(date)} ${day.format(date)} ${year.format(date).replace(/[^۰-۹]/g, '')}`

const $ = (id) => document.getElementById(id)
const say = (sentence) => {
  $('notice').textContent = sentence
}

/** An element with its properties and what stands in it. Text is never read as HTML. */
function element(name, properties = {}, ...inside) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...inside)
  return made
}

/** What came; a refusal is thrown. */
function taken({ data, error }) {
  if (error) throw error
  return data
}

/** Each part of supabase-js says in its own way that there was no answer; `fetch` itself throws a TypeError. */
const isUnreachable = ({ name, message }) =>
  ['TypeError', 'AuthRetryableFetchError', 'FunctionsFetchError'].includes(name) ||
  message.startsWith('TypeError')

/** What a person reads in place of an error: the sentence of the server, where one came. */
async function sentenceOf(error) {
  if (isUnreachable(error)) return 'به سرور نرسیدیم؛ اینترنت را بررسی کنید و دوباره بکوشید.'
  if (!(error.context instanceof Response)) return error.message
  // Of a function: an answer that nobody has read, a refusal of the platform (`message`) or of the function (`sentence`).
  const { message, sentence } = await error.context.json().catch(() => ({}))
  return message ?? sentence ?? 'این کار نشد؛ کمی بعد دوباره بکوشید.'
}

/** Runs what a person asked for: the button waits meanwhile, and a refusal is shown. */
async function act(button, work) {
  say('')
  if (button) button.disabled = true
  try {
    await work()
  } catch (error) {
    say(await sentenceOf(error))
  } finally {
    if (button) button.disabled = false
  }
}

// ── Tasks: rows of the collection `todos`. A row belongs to who writes it, and nobody else sees it. ──

async function showTodos() {
  const query = cloud.from('todos').select('id, title, done, created_at')
  const todos = taken(await query.order('created_at', { ascending: true }))
  const left = todos.filter(({ done }) => !done).length
  $('left').textContent =
    todos.length === 0
      ? 'هنوز کاری ننوشته‌اید.'
      : left === 0
        ? 'همه انجام شد.'
        : `${number.format(left)} کار مانده است.`
  const { id } = document.activeElement
  $('todos').replaceChildren(...todos.map(todoLine))
  // Who moves by keyboard goes on at the same task.
  $(id)?.focus()
}

function todoLine({ id, title, done, created_at: created }) {
  const box = element('input', { type: 'checkbox', id, checked: done })
  box.onchange = () =>
    act(undefined, async () => {
      const { error } = await cloud.from('todos').update({ done: box.checked }).eq('id', id)
      // What was not stored is not shown as done.
      if (error) box.checked = done
      taken({ error })
      await showTodos()
    })
  const remove = element('button', { type: 'button', className: 'quiet', ariaLabel: `حذف «${title}»` }, '×')
  remove.onclick = () =>
    act(remove, async () => {
      taken(await cloud.from('todos').delete().eq('id', id))
      await showTodos()
    })
  const text = element('bdi', { className: done ? 'done' : '' }, title)
  return element(
    'li',
    {},
    element('label', {}, box, text),
    element('small', {}, day.format(new Date(created))),
    remove,
  )
}

$('new-todo').onsubmit = (event) => {
  event.preventDefault()
  const form = event.target
  act(event.submitter, async () => {
    const title = form.elements.title.value.trim()
    if (title === '') return
    taken(await cloud.from('todos').insert({ title, done: false }))
    form.reset()
    await showTodos()
  })
}

// ── Files: private to their owner, up to 1 MiB each. ──

/** `/files` of the cloud, as who is signed in. */
async function files(path, init = {}) {
  const { session } = taken(await cloud.auth.getSession())
  const headers = { ...language, apikey: key, authorization: `Bearer ${session.access_token}` }
  const reply = await fetch(`${url}/files${path}`, { ...init, headers: { ...headers, ...init.headers } })
  if (!reply.ok) throw new Error((await reply.json()).error.message)
  return reply
}

async function showFiles() {
  const { data } = await (await files('')).json()
  $('files').replaceChildren(...data.map(fileLine))
}

function fileLine({ id, name, bytes }) {
  const open = element('button', { type: 'button', className: 'quiet' }, 'دریافت')
  open.onclick = () =>
    act(open, async () => {
      const address = URL.createObjectURL(await (await files(`/${id}`)).blob())
      element('a', { href: address, download: name }).click()
      URL.revokeObjectURL(address)
    })
  const remove = element('button', { type: 'button', className: 'quiet', ariaLabel: `حذف «${name}»` }, '×')
  remove.onclick = () =>
    act(remove, async () => {
      await files(`/${id}`, { method: 'DELETE' })
      await showFiles()
    })
  const size = `${number.format(Math.max(1, Math.round(bytes / 1024)))} کیلوبایت`
  return element(
    'li',
    {},
    element('span', { className: 'name' }, element('bdi', {}, name)),
    element('small', {}, size),
    open,
    remove,
  )
}

const base64Of = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    // What stands after `data:…;base64,`; an empty file has no comma.
    reader.onload = () => resolve(reader.result.split(',')[1] ?? '')
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })

$('new-file').onchange = ({ target }) =>
  act(target, async () => {
    const [file] = target.files
    if (!file) return
    if (file.size > 2 ** 20) throw new Error('این پرونده از ۱ مبی‌بایت بزرگ‌تر است؛ پروندهٔ کوچک‌تری برگزینید.')
    const body = JSON.stringify({ name: file.name, content_base64: await base64Of(file) })
    await files('', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    await showFiles()
  }).finally(() => {
    // The same file may be chosen again.
    target.value = ''
  })

// ── The report: written by functions/summary.js, which sees what its caller sees. ──

$('summarise').onclick = ({ target }) =>
  act(target, async () => {
    const { sentence } = taken(await cloud.functions.invoke('summary'))
    $('summary').textContent = sentence
  })

// ── Who is here. ──

$('entrance').onsubmit = (event) => {
  event.preventDefault()
  const { email, password } = event.target.elements
  const typed = { email: email.value, password: password.value }
  act(event.submitter, async () => {
    const isNew = event.submitter?.name === 'sign-up'
    const { session } = taken(
      isNew ? await cloud.auth.signUp(typed) : await cloud.auth.signInWithPassword(typed),
    )
    // Where the server sends mails, the address is confirmed first.
    if (!session) say('نامه‌ای برایتان فرستادیم؛ پیوند آن را باز کنید و سپس وارد شوید.')
  })
}

$('sign-out').onclick = ({ target }) =>
  act(target, async () => {
    taken({ data: null, ...(await cloud.auth.signOut({ scope: 'local' })) })
  })

let shown
/** Shows the list of who is signed in, or the door. */
function show(session) {
  const user = session?.user.id
  if (user === shown && !$('entrance').hidden === !user) return
  shown = user
  $('entrance').hidden = user !== undefined
  $('inside').hidden = user === undefined
  for (const id of ['entrance', 'new-todo']) $(id).reset()
  for (const id of ['todos', 'files']) $(id).replaceChildren()
  $('summary').textContent = ''
  $('who').textContent = session?.user.email ?? ''
  if (user) act(undefined, showAll)
}

const showAll = () => Promise.all([showTodos(), showFiles()])

// Another tab or device may have changed them meanwhile, and no event reports that to this page.
document.onvisibilitychange = () => {
  if (!document.hidden && shown) act(undefined, showAll)
}

$('today').textContent = wholeDay(new Date())
// Not awaited within: the client calls this while it holds its lock.
cloud.auth.onAuthStateChange((_event, session) => void setTimeout(show, 0, session))
