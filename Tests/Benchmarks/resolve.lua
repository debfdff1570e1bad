-- One POST /resolve of the shop tenant after another; every seventh link falls back, as real traffic does.
local count = 0

function request()
    count = count + 1
    local path = count % 7 == 0 and "/product/x" or "/product/"
    local body = '{"url":"https://yourappdomain.com' .. path .. count .. '?utm_source=mail","context":{"platform":"ios"}}'
    return wrk.format("POST", "/resolve", { ["Content-Type"] = "application/json" }, body)
end
