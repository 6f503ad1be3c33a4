/** What a page says while no build of the console is there. */
export const missingPage = `<!doctype html>
<html lang="fa" dir="rtl">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Kherad</title></head>
<body>
<p>کنسول ساخته نشده است. در پوشهٔ خرد <code dir="ltr">npm ci</code> را بزنید و دوباره راه بیندازید. API کار می‌کند و <a href="/docs">مستندات</a> اینجاست.</p>
<p lang="en" dir="ltr">The console is not built. Run <code>npm ci</code> in the folder of Kherad and start it again. The API works, and its <a href="/docs">reference</a> is here.</p>
</body>
</html>
`
