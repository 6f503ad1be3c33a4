/** What the pages of the examples share: Persian numbers and days, elements, and sentences for people. */

// The sentences of the server are for people, too: the pages ask for them in Persian, whatever the browser speaks.
export const language = { 'accept-language': 'fa' }

export const number = new Intl.NumberFormat('fa-IR')
export const day = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { day: 'numeric', month: 'long' })
const weekday = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { weekday: 'long' })
const year = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { year: 'numeric' })
/** «پنجشنبه ۵ آذر ۱۴۰۵»: written out, as the order of the parts that browsers give is not that of Persian text. */
const wholeDay = (date) =>
  `${weekday.format(date)} ${day.format(date)} ${year.format(date).replace(/[^۰-۹]/g, '')}`

export const $ = (id) => document.getElementById(id)
const say = (sentence) => {
  $('notice').textContent = sentence
}

/** What a person reads at a field that is not filled in well: browsers speak their own language, which need not be that of the page. */
function sayAtField({ target: field }) {
  const { valueMissing, tooShort } = field.validity
  field.setCustomValidity(
    valueMissing
      ? 'اینجا را پر کنید.'
      : tooShort
        ? `دست‌کم ${number.format(field.minLength)} کاراکتر بنویسید.`
        : 'ایمیل را کامل بنویسید، مانند sara@example.com.',
  )
  field.oninput = () => field.setCustomValidity('')
}
document.addEventListener('invalid', sayAtField, true)

/** An element with its properties and what stands in it. Text is never read as HTML. */
export function element(name, properties = {}, ...inside) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...inside)
  return made
}

/** What came; a refusal is thrown. */
export function taken({ data, error }) {
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
export async function act(button, work) {
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

/** Sign-up, sign-in and sign-out. `clear` empties what was shown of the last person, `showAll` shows all of this one. */
export function openDoor(cloud, { clear, showAll }) {
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
  function show(session) {
    const user = session?.user.id
    if (user === shown && !$('entrance').hidden === !user) return
    shown = user
    $('entrance').hidden = user !== undefined
    $('inside').hidden = user === undefined
    $('entrance').reset()
    clear()
    $('who').textContent = session?.user.email ?? ''
    if (user) act(undefined, showAll)
  }

  // Another tab or device may have changed something meanwhile, and no event reports that to this page.
  document.onvisibilitychange = () => {
    if (!document.hidden && shown) act(undefined, showAll)
  }

  $('today').textContent = wholeDay(new Date())
  // Not awaited within: the client calls this while it holds its lock.
  cloud.auth.onAuthStateChange((_event, session) => void setTimeout(show, 0, session))
}
