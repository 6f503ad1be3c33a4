/** A text as models write it, good and bad. */

export const known = ['https://example.ir/report']

export const sample = String.raw`# گزارش فروش
React یک کتابخانه است؛ ${'`npm ci`'} را بزنید. زبان C++ و دمای -5 و مسیر /v1/chat/completions و تخفیف ۲۵% و شمارهٔ +98912 سر جایشان می‌مانند.

This block is in English, with **strong**, *emphasis*, ~~struck~~ words and the word سلام in it.

## فهرست‌ها
1. نصب Node
2. Run the installer
   - زیرمجموعه با ${'`code`'}
   - English item
3. پایان کار

- [x] انجام شد
- [ ] هنوز نه

> نقل قول از کسی که می‌نویسد: «نیم‌فاصله می‌ماند».
>
> And a line in English.

| محصول | Model | فروش |
|---|:-:|--:|
| کیبورد فارسی | KB-200 | ۱٬۲۰۰ |
| ماوس بی‌سیم با نام بلند و توضیحی که در چند خط می‌شکند | M-1<br>M-2 | ۸۷۰ |

${'```'}ts
// جمع دو عدد
export const add = (a: number, b: number): number => a + b
const name = "سلام دنیا"
${'```'}

فرمول $E = mc^2$ و \(a_1 + b_1\) در متن؛ قیمت‌ها $5 و $10 فرمول نیستند.

$$
\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}
$$

\[ \text{سرعت} = \frac{x}{t} \]

پیوندها: [منبع](https://example.ir/report)، [ناشناخته](https://user@xn--80ak6aa92e.com/p?q=%D8%B1%D8%A7%D8%B2%E2%80%AE)، https://خرد.ir/راه، [درونی](/keys) و [بد](javascript:alert(1)).

![نمودار](https://tracker.example/pixel.png?d=1) [![نشان](https://a.example/x.svg)](https://b.example/) <img src=x onerror=alert(1)>

پانویس دارد.[^1]

[^1]: متن پانویس با English.

---

${'> '.repeat(40)}too deep
`
