/** Texts of the routes of clouds, beside errors. */
export const phrases = {
  starter: {
    en: 'Free within its limits and ready at once. At a limit calls are refused; nothing is ever charged.',
    fa: 'در سقف‌هایش رایگان و همان دم آماده. در سقف، درخواست‌ها رد می‌شوند و هرگز چیزی کسر نمی‌شود.',
  },
  dedicated: {
    en: 'A PostgreSQL of its own with SQL, policies and buckets. The operator gives the package; the app back-end is set up within seconds.',
    fa: 'PostgreSQL اختصاصی با SQL، سیاست‌های دسترسی و باکت‌ها. بسته را گردانندهٔ سرویس می‌دهد و بک‌اند در چند ثانیه راه می‌افتد.',
  },
}

/** Why a request about a cloud is refused. */
export const reasons = {
  packageOfStarter: {
    en: 'package goes with `plan: "dedicated"`; a Starter app back-end needs none.',
    fa: 'package با `plan: "dedicated"` می‌آید؛ بک‌اند Starter بسته نمی‌خواهد.',
  },
  otherName: {
    en: 'confirm has to be exactly the name of the app back-end.',
    fa: 'confirm باید دقیقاً نام بک‌اند باشد.',
  },
}
