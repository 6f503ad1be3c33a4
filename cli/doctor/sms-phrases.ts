import { english, persian } from '#platform/words'
import { type BilingualText, sentence } from '../command.ts'

export const smsPhrases = {
  there: (host: string, messages: number) =>
    sentence(
      `درگاه پیامک ${host} در دسترس است، و روزی تا ${persian(messages)} پیامک می‌رود؛ پیامکی فرستاده نشد (kherad sms test یکی می‌فرستد).`,
      `The gateway ${host} is there, for up to ${english(messages)} messages a day; nothing was sent (kherad sms test sends one).`,
    ),
  noChanged: () =>
    sentence(
      'درگاه پیامک در دسترس است، ولی به شماره‌ای که عوض یا برداشته می‌شود خبری نمی‌رود: الگوی آن را در sms.changed بنویسید.',
      'The gateway is there, but a number that is changed or removed hears nothing: write its template as sms.changed.',
    ),
  away: (host: string, { fa, en }: BilingualText) =>
    sentence(
      `درگاه پیامک ${host} در دسترس نیست: ${fa} sms.url و net.allow_cidrs را بررسی کنید.`,
      `The gateway ${host} cannot be used: ${en} Check sms.url and net.allow_cidrs.`,
    ),
}
