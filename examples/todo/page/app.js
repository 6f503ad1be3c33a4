/** A to-do list: who signs in keeps tasks, private files, and a report that a function writes. */
import { createClient } from '@supabase/supabase-js'
import { $, act, day, element, language, number, openDoor, taken } from '../../common/ui.js'

// What `build.mjs` was given; both are public.
const url = CLOUD_URL
const key = CLOUD_PUBLIC_KEY
const cloud = createClient(url, key, { global: { headers: language } })

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
    if (file.size > 2 ** 20) throw new Error('این فایل از ۱ مبی‌بایت بزرگ‌تر است؛ فایل کوچک‌تری برگزینید.')
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

openDoor(cloud, {
  clear() {
    $('new-todo').reset()
    for (const id of ['todos', 'files']) $(id).replaceChildren()
    $('summary').textContent = ''
  },
  showAll: () => Promise.all([showTodos(), showFiles()]),
})
