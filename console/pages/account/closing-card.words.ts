import { credits } from '../../words/credits.ts'

const fa = {
  title: 'حذف حساب',
  why: 'حساب ۳۰ روز فقط خواندنی می‌ماند: کلیدها پذیرفته نمی‌شوند، چیزی از اعتبار کم نمی‌شود، و سایت‌ها، بک‌اندها و وب‌هوک‌ها می‌ایستند. سپس همه‌چیز آن برای همیشه پاک می‌شود؛ رسیدها و گزارش تغییرها بدون نام می‌مانند. به همهٔ اعضا در آغاز و پایان خبر داده می‌شود.',
  lost: (credit: string, projects: string) =>
    `${credit} اعتبار و ${projects} پروژه با همهٔ محتوا از دست می‌رود.`,
  verb: 'حذف حساب',
  dialogWhy: (day: string) => `حساب ${day} حذف می‌شود. تا آن زمان هر مالک می‌تواند برگرداند.`,
  begun: 'حساب فقط خواندنی شد و ۳۰ روز دیگر حذف می‌شود.',
  pendingTitle: 'این حساب حذف می‌شود',
  pendingWhy: (day: string) =>
    `${day} همه‌چیز این حساب برای همیشه پاک می‌شود. تا آن زمان با برگرداندن، کلیدها، سایت‌ها، بک‌اندها و وب‌هوک‌ها دوباره کار می‌کنند.`,
  by: 'درخواست از',
  operator: 'گرداننده',
  undo: 'برگرداندن حذف',
}

const en = {
  title: 'Delete the account',
  why: 'For 30 days the account can only be read: keys are refused, nothing is charged, and websites, app back-ends and webhooks stop. Then everything in it is deleted for good; receipts and the audit log stay without names. All members are told at the beginning and at the end.',
  lost: (credit: string, projects: string) =>
    projects === '1'
      ? `Lost: ${credits(credit)}, and the project with all that is in it.`
      : `Lost: ${credits(credit)}, and ${projects} projects with all that is in them.`,
  verb: 'Delete the account',
  dialogWhy: (day: string) => `The account is deleted on ${day}. Every owner can undo it until then.`,
  begun: 'The account can only be read now, and is deleted in 30 days.',
  pendingTitle: 'This account is to be deleted',
  pendingWhy: (day: string) =>
    `On ${day} everything in this account is deleted for good. If you undo it before, keys, websites, app back-ends and webhooks work again.`,
  by: 'Asked for by',
  operator: 'the operator',
  undo: 'Undo the deletion',
} satisfies typeof fa

export const closingCardWords = { fa, en }
