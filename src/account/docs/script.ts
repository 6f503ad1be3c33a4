/** Makes the page handier and is not needed to read it: a filter over the routes, and buttons that copy. */
export const script = `
'use strict'
const filter = document.getElementById('filter')
const routes = [...document.querySelectorAll('.route')]
filter.hidden = false
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const route of routes) {
    route.hidden = !words.every((word) => route.dataset.find.includes(word))
    document.querySelector('nav a[href="#' + CSS.escape(route.id).replaceAll('\\\\', '') + '"]').parentElement.hidden = route.hidden
  }
  for (const group of document.querySelectorAll('.capability')) group.hidden = !group.querySelector('.route:not([hidden])')
  document.getElementById('nothing').hidden = routes.some((route) => !route.hidden)
})
if (navigator.clipboard) {
  for (const pre of document.querySelectorAll('pre[data-copy]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = pre.dataset.copy
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(pre.textContent)
      button.textContent = pre.dataset.copied
      setTimeout(() => { button.textContent = pre.dataset.copy }, 2000)
    })
    const frame = document.createElement('div')
    frame.className = 'frame'
    pre.replaceWith(frame)
    frame.append(pre, button)
  }
}
`
