/** Shopping lists that people share: tables with policies, pictures in a bucket, and a sentence that a function writes. */
import { createClient } from '@supabase/supabase-js'
import { $, act, day, element, language, number, openDoor, taken } from '../../common/ui.js'

// What `build.mjs` was given; both are public.
const cloud = createClient(CLOUD_URL, CLOUD_PUBLIC_KEY, { global: { headers: language } })

// ── Lists with their items: two tables in one request. Policies decide which rows of them come. ──

async function showLists() {
  const lists = taken(
    await cloud
      .from('lists')
      .select('id, title, owner_id, created_at, items(id, title, done, picture), members(profiles(email))')
      .order('created_at')
      .order('created_at', { referencedTable: 'items' }),
  )
  const addresses = await picturesOf(lists.flatMap(({ items }) => items))
  const { session } = taken(await cloud.auth.getSession())
  $('none').hidden = lists.length > 0
  $('lists').replaceChildren(
    ...lists.map((list) => listCard(list, { addresses, isOwn: list.owner_id === session.user.id })),
  )
}

/** The addresses of pictures, each good for an hour, by their paths. */
async function picturesOf(items) {
  const paths = items.flatMap(({ picture }) => picture ?? [])
  if (paths.length === 0) return new Map()
  const signed = taken(await cloud.storage.from('pictures').createSignedUrls(paths, 3600))
  return new Map(signed.map(({ path, signedUrl }) => [path, signedUrl]))
}

function listCard(list, { addresses, isOwn }) {
  const left = list.items.filter(({ done }) => !done).length
  const state =
    list.items.length === 0 ? 'خالی' : left === 0 ? 'همه خریده شد' : `${number.format(left)} چیز مانده`
  const head = element('h2', {}, element('bdi', {}, list.title), element('small', {}, state))
  const items = element('ul', {}, ...list.items.map((item) => itemLine(list, item, addresses)))
  return element(
    'section',
    { ariaLabel: list.title },
    head,
    items,
    newItem(list),
    isOwn
      ? shareForm(list)
      : element(
          'p',
          { className: 'faint' },
          `از ${day.format(new Date(list.created_at))}، با شما به اشتراک گذاشته شده`,
        ),
    ...(isOwn ? [deleteButton(list)] : []),
  )
}

function itemLine(list, item, addresses) {
  const box = element('input', { type: 'checkbox', checked: item.done })
  box.onchange = () =>
    act(undefined, async () => {
      const { error } = await cloud.from('items').update({ done: box.checked }).eq('id', item.id)
      // What was not stored is not shown as done.
      if (error) box.checked = item.done
      taken({ error })
      await showLists()
    })
  const remove = element(
    'button',
    { type: 'button', className: 'quiet', ariaLabel: `حذف «${item.title}»` },
    '×',
  )
  remove.onclick = () =>
    act(remove, async () => {
      if (item.picture) taken(await cloud.storage.from('pictures').remove([item.picture]))
      taken(await cloud.from('items').delete().eq('id', item.id))
      await showLists()
    })
  const address = addresses.get(item.picture)
  return element(
    'li',
    {},
    element('label', {}, box, element('bdi', { className: item.done ? 'done' : '' }, item.title)),
    address
      ? element('img', { src: address, alt: `تصویر «${item.title}»`, width: 48, height: 48, loading: 'lazy' })
      : pictureChooser(list, item),
    remove,
  )
}

const types = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }

/** The first folder of its path says whose list it belongs to: the policy of the bucket reads it. */
function pictureChooser(list, item) {
  const chooser = element('input', { type: 'file', accept: Object.keys(types).join(), className: 'unseen' })
  chooser.onchange = () =>
    act(chooser, async () => {
      const [file] = chooser.files
      if (!file) return
      if (!(file.type in types)) throw new Error('تنها تصویر PNG یا JPEG یا WebP پذیرفته می‌شود.')
      const path = `${list.id}/${item.id}.${types[file.type]}`
      taken(await cloud.storage.from('pictures').upload(path, file, { contentType: file.type, upsert: true }))
      taken(await cloud.from('items').update({ picture: path }).eq('id', item.id))
      await showLists()
    })
  return element('label', { className: 'file', ariaLabel: `تصویر برای «${item.title}»` }, 'تصویر', chooser)
}

function newItem({ id, title }) {
  const input = element('input', {
    name: 'title',
    ariaLabel: `چیز تازه در «${title}»`,
    placeholder: 'چیز تازه…',
    maxLength: 200,
    autocomplete: 'off',
    required: true,
  })
  const form = element('form', { className: 'line' }, input, element('button', { type: 'submit' }, 'افزودن'))
  form.onsubmit = (event) => {
    event.preventDefault()
    act(event.submitter, async () => {
      const wanted = input.value.trim()
      if (wanted === '') return
      taken(await cloud.from('items').insert({ list_id: id, title: wanted }))
      await showLists()
      // The same list was drawn anew; who types goes on.
      document.querySelector(`[aria-label="${CSS.escape(input.ariaLabel)}"]`)?.focus()
    })
  }
  return form
}

/** Only a function may look up an address: nobody sees whose there are. */
function shareForm({ id, title, members }) {
  const input = element('input', {
    type: 'email',
    dir: 'ltr',
    ariaLabel: `اشتراک «${title}» با`,
    placeholder: 'ایمیل',
    required: true,
  })
  const form = element(
    'form',
    { className: 'line' },
    input,
    element('button', { type: 'submit', className: 'quiet' }, 'اشتراک'),
  )
  form.onsubmit = (event) => {
    event.preventDefault()
    act(event.submitter, async () => {
      const isThere = taken(await cloud.rpc('share_list', { list: id, address: input.value }))
      if (!isThere) throw new Error('کسی با این ایمیل اینجا حساب ندارد.')
      await showLists()
    })
  }
  const people = members.map(({ profiles }) => profiles?.email).filter(Boolean)
  const with_ = element('p', { className: 'faint' }, 'همراهان: ', element('bdi', {}, people.join('، ')))
  return element('div', {}, ...(people.length > 0 ? [with_] : []), form)
}

function deleteButton({ id, title, items }) {
  const button = element(
    'button',
    { type: 'button', className: 'quiet', ariaLabel: `حذف فهرست «${title}»` },
    'حذف فهرست',
  )
  button.onclick = () =>
    act(button, async () => {
      const paths = items.flatMap(({ picture }) => picture ?? [])
      if (paths.length > 0) taken(await cloud.storage.from('pictures').remove(paths))
      taken(await cloud.from('lists').delete().eq('id', id))
      await showLists()
    })
  return button
}

$('new-list').onsubmit = (event) => {
  event.preventDefault()
  const form = event.target
  act(event.submitter, async () => {
    const title = form.elements.title.value.trim()
    if (title === '') return
    taken(await cloud.from('lists').insert({ title }))
    form.reset()
    await showLists()
  })
}

// ── The sentence: written by functions/summary.ts, which sees what its caller sees. ──

$('summarise').onclick = ({ target }) =>
  act(target, async () => {
    const { sentence } = taken(await cloud.functions.invoke('summary'))
    $('summary').textContent = sentence
  })

openDoor(cloud, {
  clear() {
    $('new-list').reset()
    $('lists').replaceChildren()
    $('summary').textContent = ''
  },
  showAll: showLists,
})
