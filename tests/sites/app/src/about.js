export const show = (main) => {
  main.innerHTML = '<h1>درباره‌ی ما</h1><p>کافه‌ای کوچک در کوچه‌ی باغ.</p>'
}
