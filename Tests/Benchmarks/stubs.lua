-- Requests the targets of a file in turn, and prints the results like measure.lua.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(here .. "measure.lua")

local requests, index = {}, 0

function init()
    for target in io.lines(os.getenv("TARGETS")) do
        requests[#requests + 1] = wrk.format("GET", target)
    end
end

function request()
    index = index % #requests + 1
    return requests[index]
end
