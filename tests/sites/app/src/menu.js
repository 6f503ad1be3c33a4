import './menu.css'

export const show = (main) => {
  main.innerHTML = `<h1>فهرست ${import.meta.env.VITE_EDITION}</h1><ul class="menu"><li>قهوه ۹۰ هزار تومان</li><li>چای ۴۰ هزار تومان</li></ul>`
}
