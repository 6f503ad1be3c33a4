import cup from './cup.svg'
import './style.css'

const main = document.querySelector('main')

const home = () => {
  main.innerHTML = `<h1>خوش آمدید</h1><p>قهوه‌ی تازه، هر روز از ساعت ۷.</p><img src="${cup}" alt="فنجان">`
}

/** Pages by their paths; those that are functions of an import come in files of their own. */
const pages = {
  '/': home,
  '/menu/today': async () => (await import('./menu.js')).show(main),
  '/درباره‌ی-ما': async () => (await import('./about.js')).show(main),
}

async function route() {
  const page = pages[decodeURI(location.pathname)]
  if (page) await page()
  else main.innerHTML = '<h1>چنین برگه‌ای در کافه نیست</h1>'
  main.dataset.path = decodeURI(location.pathname)
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a')
  if (!link || link.origin !== location.origin) return
  event.preventDefault()
  history.pushState(null, '', link.href)
  route()
})
addEventListener('popstate', route)
route()
